package io.lockstarter.redis.client;

import java.time.Duration;

import io.lettuce.core.cluster.RedisClusterClient;
import io.lockstarter.logging.LockLog;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Refresh of Lettuce's view of a cluster when commands fail.
 * <p>
 * Lettuce's adaptive refresh, which Spring Boot enables since 4.1, acts at most every
 * five seconds, and for a dead node only on attempts to reconnect, which become rarer.
 * Commands that wait for a new master trigger this refresh, so Lettuce follows a failover
 * within a second, whatever the configuration.
 */
final class LettuceTopology {

	private static final LockLog logger = LockLog.of(LettuceTopology.class);

	/** Minimum time between two refreshes: 500 ms. */
	private static final Duration PAUSE = Duration.ofMillis(500);

	private final RedisConnectionFactory connectionFactory;

	private final Throttle throttle = new Throttle(PAUSE);

	LettuceTopology(RedisConnectionFactory connectionFactory) {
		this.connectionFactory = connectionFactory;
	}

	/** Loads the topology from the nodes, at most every 500 ms. */
	void refresh() {
		if (this.throttle.tryPass() && this.connectionFactory instanceof LettuceConnectionFactory factory) {
			refresh(factory);
		}
	}

	/** Loads the topology. A stopped factory throws when its client is requested. */
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
