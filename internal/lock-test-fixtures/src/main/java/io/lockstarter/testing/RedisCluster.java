package io.lockstarter.testing;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Cluster of three masters with one replica each, which fails over within seconds.
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
	 * Starts a cluster. When this method returns, the cluster tolerates the failure of
	 * any node.
	 * @param options further options of each node, such as
	 * {@code "--cluster-require-full-coverage", "no"}, with which the other masters stay
	 * available when one has failed
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
	 * Returns the addresses of all nodes.
	 */
	public List<String> addresses() {
		return this.nodes.addresses();
	}

	/**
	 * Returns the slot of a key, which depends on its part in braces if there is one.
	 */
	public static int slotOf(String key) {
		return ClusterSlotHashUtil.calculateSlot(key);
	}

	/**
	 * Returns the master that owns the slot of a key, even if the master is down.
	 */
	public RedisServer ownerOf(String key) {
		return ownerOf(slotOf(key));
	}

	/**
	 * Returns the master that owns a slot, even if the master is down.
	 */
	public RedisServer ownerOf(int slot) {
		return view().ownerOf(slot)
			.map((entry) -> this.nodes.onPort(entry.port()))
			.orElseThrow(() -> new IllegalStateException("No node claims slot " + slot));
	}

	/**
	 * Returns all nodes that own slots, whether they are up or down.
	 */
	public List<RedisServer> masters() {
		Set<Integer> ports = view().masterPorts();
		return nodes().stream().filter((node) -> ports.contains(node.port())).toList();
	}

	/**
	 * Returns the replica of a master, which takes over when the master fails.
	 */
	public RedisServer replicaOf(RedisServer master) {
		return view().replicaOf(idOf(master))
			.map((entry) -> this.nodes.onPort(entry.port()))
			.orElseThrow(() -> new IllegalStateException(
					String.format(Locale.ROOT, "Master on port %d has no replica", master.port())));
	}

	/**
	 * Waits until another node serves a key.
	 * @param before the node that served the key before
	 * @return the new node
	 */
	public RedisServer awaitFailover(String key, RedisServer before) {
		Poll.until("Failover", () -> ownerOf(key) != before && this.nodes.responsive().allMatch(RedisCluster::isOk));
		return ownerOf(key);
	}

	/**
	 * Returns a migration of a key's slot to another master, which has not begun.
	 */
	public SlotMigration migration(String key, RedisServer target) {
		return new SlotMigration(this, slotOf(key), ownerOf(key), target);
	}

	/**
	 * Migrates a key's slot from master to master until the loop is closed.
	 */
	public SlotMigrationLoop migrateInLoop(String key) {
		return new SlotMigrationLoop(this, key);
	}

	@Override
	public void close() {
		this.nodes.close();
	}

	/**
	 * Returns the identifier of a node, whether the node is up or down.
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
