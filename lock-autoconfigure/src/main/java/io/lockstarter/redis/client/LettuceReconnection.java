package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;

/**
 * How soon Lettuce connects again to a server that was down. By default its pauses grow
 * to half a minute, which is as long as a lease.
 */
public final class LettuceReconnection {

	private static final Duration LONGEST_DELAY = Duration.ofMillis(500);

	private LettuceReconnection() {
	}

	/**
	 * Let connections be made again within half a second, each after a random pause.
	 * @param resources what the client is to use
	 * @return the same
	 */
	public static ClientResources.Builder soon(ClientResources.Builder resources) {
		return resources
			.reconnectDelay(() -> Delay.fullJitter(Duration.ofMillis(10), LONGEST_DELAY, 10, TimeUnit.MILLISECONDS));
	}

}
