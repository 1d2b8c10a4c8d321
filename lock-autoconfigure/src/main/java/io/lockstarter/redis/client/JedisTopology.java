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
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Which node of a cluster has a key, as of the last look. Only sorts commands into lanes:
 * Jedis itself finds the node that has the key now.
 */
final class JedisTopology {

	private static final LockLog logger = LockLog.of(JedisTopology.class);

	private static final Duration PAUSE = Duration.ofSeconds(1);

	private static final String LANE = "topology";

	private final RedisConnectionFactory connectionFactory;

	private final SerialExecutors lanes;

	private final Throttle throttle = new Throttle(PAUSE);

	private volatile @Nullable String @Nullable [] nodes;

	JedisTopology(RedisConnectionFactory connectionFactory, SerialExecutors lanes) {
		this.connectionFactory = connectionFactory;
		this.lanes = lanes;
	}

	String nodeOf(String key) {
		@Nullable String[] current = this.nodes;
		String node = (current != null) ? current[ClusterSlotHashUtil.calculateSlot(key)] : null;
		return (node != null) ? node : "";
	}

	/** Tell a slot of each node, as of now. */
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

	/** Ask for the topology in the background, unless that was done just now. */
	void refresh() {
		if (this.throttle.passes()) {
			try {
				this.lanes.run(LANE, this::tryToLoad);
			}
			catch (RejectedExecutionException ex) {
				logger.debug("Nobody needs the topology any more", ex);
			}
			catch (OutOfMemoryError ex) {
				logger.debug("The topology is asked for later, when there is a thread", ex);
			}
		}
	}

	private void tryToLoad() {
		try {
			load();
		}
		catch (RuntimeException ex) {
			logger.debug("Asking for the cluster's topology failed", ex);
		}
	}

	private @Nullable String[] load() {
		this.lanes.requireOpen();
		try (RedisClusterConnection cluster = this.connectionFactory.getClusterConnection()) {
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
