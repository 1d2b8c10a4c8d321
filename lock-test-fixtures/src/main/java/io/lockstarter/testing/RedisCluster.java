package io.lockstarter.testing;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * A cluster of three masters with a replica each, which fails over within seconds.
 */
public final class RedisCluster implements AutoCloseable {

	private static final int MASTERS = 3;

	private static final List<String> DEFAULTS = List.of("--cluster-enabled", "yes", "--cluster-node-timeout", "2000",
			"--repl-diskless-sync-delay", "0");

	private final RedisNodes nodes;

	private RedisCluster(RedisNodes nodes) {
		this.nodes = nodes;
	}

	/**
	 * Start a cluster whose every node can fail when this method returns.
	 * @param options further options of each node, such as
	 * {@code "--cluster-require-full-coverage", "no"} for the other masters to go on when
	 * one has failed
	 */
	public static RedisCluster start(String... options) {
		String[] all = Stream.concat(DEFAULTS.stream(), Stream.of(options)).toArray(String[]::new);
		RedisCluster cluster = new RedisCluster(RedisNodes.start(2 * MASTERS, all));
		try {
			new ClusterAssembly(cluster.nodes.all(), MASTERS).assemble();
			return cluster;
		}
		catch (RuntimeException ex) {
			cluster.close();
			throw ex;
		}
	}

	public List<RedisServer> nodes() {
		return this.nodes.all();
	}

	/**
	 * Addresses of all nodes, for a client to begin with.
	 */
	public List<String> addresses() {
		return this.nodes.addresses();
	}

	/**
	 * The slot of a key: of the part in braces, if it has one.
	 */
	public static int slotOf(String key) {
		return ClusterSlotHashUtil.calculateSlot(key);
	}

	/**
	 * The master that serves a key, were it not down.
	 */
	public RedisServer ownerOf(String key) {
		return ownerOf(slotOf(key));
	}

	/**
	 * The master that serves a slot, were it not down.
	 */
	public RedisServer ownerOf(int slot) {
		return view().ownerOf(slot)
			.map((entry) -> this.nodes.onPort(entry.port()))
			.orElseThrow(() -> new IllegalStateException("No node claims slot " + slot));
	}

	/**
	 * All nodes that own slots, be they up or down.
	 */
	public List<RedisServer> masters() {
		Set<Integer> ports = view().masterPorts();
		return nodes().stream().filter((node) -> ports.contains(node.port())).toList();
	}

	/**
	 * The node that takes over when a master fails.
	 */
	public RedisServer replicaOf(RedisServer master) {
		return view().replicaOf(idOf(master))
			.map((entry) -> this.nodes.onPort(entry.port()))
			.orElseThrow(() -> new IllegalStateException(
					String.format(Locale.ROOT, "Master on port %d has no replica", master.port())));
	}

	/**
	 * Wait until another node than before serves a key.
	 * @return that node
	 */
	public RedisServer awaitFailover(String key, RedisServer before) {
		Poll.until("Failover", () -> ownerOf(key) != before && this.nodes.responsive().allMatch(RedisCluster::isOk));
		return ownerOf(key);
	}

	/**
	 * The move of a key's slot to another master. Nothing moves before its first step.
	 */
	public SlotMigration migration(String key, RedisServer target) {
		return new SlotMigration(this, slotOf(key), ownerOf(key), target);
	}

	/**
	 * Move a key's slot from master to master until the loop is closed.
	 */
	public SlotMigrationLoop migrateInLoop(String key) {
		return new SlotMigrationLoop(this, key);
	}

	@Override
	public void close() {
		this.nodes.close();
	}

	/**
	 * The identifier of a node, be it up or down.
	 */
	String idOf(RedisServer node) {
		return ClusterView.of(this.nodes.responsive().limit(1))
			.onPort(node.port())
			.map(ClusterEntry::id)
			.orElseThrow(() -> new IllegalStateException(
					String.format(Locale.ROOT, "The node on port %d is unknown", node.port())));
	}

	static boolean isOk(RedisServer node) {
		return String.valueOf(node.cli("CLUSTER", "INFO")).contains("cluster_state:ok");
	}

	private ClusterView view() {
		return ClusterView.of(this.nodes.responsive());
	}

}
