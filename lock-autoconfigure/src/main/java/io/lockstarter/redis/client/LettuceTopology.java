package io.lockstarter.redis.client;

import java.time.Duration;

import io.lettuce.core.cluster.RedisClusterClient;
import io.lockstarter.logging.LockLog;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Makes Lettuce look at a cluster anew when commands fail.
 * <p>
 * Lettuce's adaptive refresh, which Spring Boot has switched on since 4.1, acts at most
 * every five seconds, and where a node is dead on every attempt to reconnect, which get
 * rarer. Commands that wait for a new master make it follow a failover within a second,
 * whatever is configured.
 */
final class LettuceTopology {

	private static final LockLog logger = LockLog.of(LettuceTopology.class);

	private static final Duration PAUSE = Duration.ofMillis(500);

	private final RedisConnectionFactory connectionFactory;

	private final Throttle throttle = new Throttle(PAUSE);

	LettuceTopology(RedisConnectionFactory connectionFactory) {
		this.connectionFactory = connectionFactory;
	}

	/** Ask the nodes for the topology, unless that was done just now. */
	void refresh() {
		if (this.throttle.passes() && this.connectionFactory instanceof LettuceConnectionFactory factory) {
			refresh(factory);
		}
	}

	/** A factory that was stopped throws when asked for its client. */
	private static void refresh(LettuceConnectionFactory factory) {
		try {
			if (factory.getNativeClient() instanceof RedisClusterClient client) {
				client.refreshPartitionsAsync().whenComplete((nothing, failure) -> {
					if (failure != null) {
						logger.debug("Refreshing the cluster's topology failed", failure);
					}
				});
			}
		}
		catch (RuntimeException ex) {
			logger.debug("Refreshing the cluster's topology failed", ex);
		}
	}

}
