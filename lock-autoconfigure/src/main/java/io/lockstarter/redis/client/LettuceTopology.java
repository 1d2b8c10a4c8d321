package io.lockstarter.redis.client;

import java.time.Duration;

import io.lettuce.core.cluster.RedisClusterClient;
import io.lockstarter.logging.LockLog;

/**
 * Refresh of Lettuce's view of a cluster when commands fail.
 * <p>
 * Lettuce's adaptive refresh acts on redirections and on attempts to reconnect, but not
 * while a node merely hangs. Commands that wait for a new master trigger this refresh, so
 * Lettuce follows a failover within a second.
 */
final class LettuceTopology {

	private static final LockLog logger = LockLog.of(LettuceTopology.class);

	/** Minimum time between two refreshes: 500 ms. */
	private static final Duration PAUSE = Duration.ofMillis(500);

	private final LettuceFactory factory;

	private final Throttle throttle = new Throttle(PAUSE);

	LettuceTopology(LettuceFactory factory) {
		this.factory = factory;
	}

	/** Loads the topology from the nodes, at most every 500 ms. */
	void refresh() {
		if (this.throttle.tryPass()) {
			load();
		}
	}

	private void load() {
		try {
			if (this.factory.running() instanceof RedisClusterClient client) {
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
