package io.lockstarter.testing;

import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Assembly of a cluster from single nodes: first the masters, then a replica of each.
 */
final class ClusterAssembly {

	private static final int SLOTS = 16384;

	private final List<RedisServer> nodes;

	private final int masters;

	ClusterAssembly(List<RedisServer> nodes, int masters) {
		this.nodes = nodes;
		this.masters = masters;
	}

	/**
	 * Assembles the cluster. When this method returns, each master serves its slots, and
	 * each replica is able to take over.
	 */
	void assemble() {
		IntStream.range(0, this.nodes.size()).forEach(this::setEpoch);
		IntStream.range(0, this.masters).forEach(this::assignSlots);
		IntStream.range(0, this.nodes.size()).forEach(this::meetLaterNodes);
		awaitEach("Node that knows all", this::knowsAll);
		IntStream.range(this.masters, this.nodes.size()).forEach(this::replicate);
		awaitEach("Node that knows the roles", this::knowsRoles);
		awaitEach("Node in service", this::serves);
	}

	private void setEpoch(int index) {
		this.nodes.get(index).cli("CLUSTER", "SET-CONFIG-EPOCH", String.valueOf(index + 1));
	}

	private void assignSlots(int index) {
		int first = SLOTS * index / this.masters;
		int end = SLOTS * (index + 1) / this.masters;
		this.nodes.get(index)
			.cli(Stream.concat(Stream.of("CLUSTER", "ADDSLOTS"), IntStream.range(first, end).mapToObj(String::valueOf))
				.toArray(String[]::new));
	}

	// One meeting of each node would be enough, but gossip would take seconds
	private void meetLaterNodes(int index) {
		for (RedisServer other : this.nodes.subList(index + 1, this.nodes.size())) {
			this.nodes.get(index).cli("CLUSTER", "MEET", other.host(), String.valueOf(other.port()));
		}
	}

	private void replicate(int index) {
		String id = String.valueOf(this.nodes.get(index % this.masters).cli("CLUSTER", "MYID"));
		this.nodes.get(index).cli("CLUSTER", "REPLICATE", id);
	}

	private boolean knowsAll(RedisServer node) {
		List<ClusterEntry> entries = ClusterView.of(Stream.of(node)).entries();
		return entries.size() == this.nodes.size() && entries.stream().allMatch(ClusterEntry::connected)
				&& entries.stream().noneMatch((entry) -> entry.flags().contains("handshake"));
	}

	private boolean knowsRoles(RedisServer node) {
		return ClusterView.of(Stream.of(node))
			.entries()
			.stream()
			.filter((entry) -> entry.flags().contains("slave"))
			.count() == this.nodes.size() - this.masters;
	}

	private boolean serves(RedisServer node) {
		return RedisCluster.isOk(node)
				&& (node.info("role").equals("master") || node.info("master_link_status").equals("up"));
	}

	private void awaitEach(String state, Predicate<RedisServer> condition) {
		this.nodes.forEach((node) -> Poll.until(String.format(Locale.ROOT, "%s on port %d", state, node.port()),
				() -> condition.test(node)));
	}

}
