package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;

/**
 * Snapshot of the nodes that serve the slots of a cluster. It only sorts commands into
 * lanes: Jedis itself finds the node that currently serves a key.
 */
final class JedisTopology {

	private static final LockLog logger = LockLog.of(JedisTopology.class);

	/** Minimum time between two refreshes: 1 s. */
	private static final Duration PAUSE = Duration.ofSeconds(1);

	private static final String LANE = "topology";

	private final JedisFactory factory;

	private final SerialExecutors lanes;

	private final Throttle throttle = new Throttle(PAUSE);

	private volatile @Nullable String @Nullable [] nodes;

	JedisTopology(JedisFactory factory, SerialExecutors lanes) {
		this.factory = factory;
		this.lanes = lanes;
	}

	/** Returns the node that serves a key, or an empty string if it is not known. */
	String nodeOf(String key) {
		@Nullable String[] current = this.nodes;
		String node = (current != null) ? current[ClusterSlotHashUtil.calculateSlot(key)] : null;
		return (node != null) ? node : "";
	}

	/** Loads the topology, and returns one slot of each node. */
	CompletableFuture<List<Integer>> slots() {
		CompletableFuture<List<Integer>> slots = new CompletableFuture<>();
		this.lanes.run(LANE, () -> {
			try {
				slots.complete(firstSlots(load()));
			}
			catch (Throwable ex) {
				slots.completeExceptionally(ex);
			}
		});
		return slots;
	}

	private static List<Integer> firstSlots(@Nullable String[] nodes) {
		Map<String, Integer> slots = new HashMap<>();
		for (int slot = 0; slot < nodes.length; slot++) {
			String node = nodes[slot];
			if (node != null) {
				slots.putIfAbsent(node, slot);
			}
		}
		return slots.values().stream().sorted().toList();
	}

	/** Loads the topology in the background, at most once a second. */
	void refresh() {
		if (this.throttle.tryPass()) {
			try {
				this.lanes.run(LANE, this::tryToLoad);
			}
			catch (RejectedExecutionException ex) {
				logger.debug("The client is closed, so the cluster's topology is not loaded", ex);
			}
			catch (OutOfMemoryError ex) {
				logger.debug("No thread could be created, so the cluster's topology is loaded later", ex);
			}
		}
	}

	private void tryToLoad() {
		try {
			load();
		}
		catch (RuntimeException ex) {
			logger.debug("Loading the cluster's topology failed", ex);
		}
	}

	private @Nullable String[] load() {
		this.lanes.requireOpen();
		try (RedisClusterConnection cluster = this.factory.get().getClusterConnection()) {
			@Nullable String[] loaded = new String[ClusterSlotHashUtil.SLOT_COUNT];
			for (RedisClusterNode node : cluster.clusterGetNodes()) {
				if (node.isMaster()) {
					for (int slot : node.getSlotRange().getSlots()) {
						loaded[slot] = node.asString();
					}
				}
			}
			this.nodes = loaded;
			return loaded;
		}
	}

}
