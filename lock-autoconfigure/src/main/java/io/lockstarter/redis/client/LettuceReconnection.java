package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;

/**
 * Reconnection delay of Lettuce. Lettuce's default delay grows to half a minute, which is
 * as long as a lease.
 */
public final class LettuceReconnection {

	/** Maximum delay between two attempts to reconnect: 500 ms. */
	private static final Duration MAX_DELAY = Duration.ofMillis(500);

	private LettuceReconnection() {
	}

	/**
	 * Limits the delay between two attempts to reconnect to a random time of up to 500
	 * ms.
	 * @param resources the resources of the client
	 * @return the same builder
	 */
	public static ClientResources.Builder soon(ClientResources.Builder resources) {
		return resources
			.reconnectDelay(() -> Delay.fullJitter(Duration.ofMillis(10), MAX_DELAY, 10, TimeUnit.MILLISECONDS));
	}

}
