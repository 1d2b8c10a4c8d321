package io.lockstarter.testing;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reports of cluster nodes about each other, which may contradict each other.
 */
record ClusterView(List<ClusterEntry> entries) {

	/**
	 * Requests the reports of responsive nodes.
	 */
	static ClusterView of(Stream<RedisServer> nodes) {
		return new ClusterView(nodes.map((node) -> String.valueOf(node.cli("CLUSTER", "NODES")))
			.flatMap(String::lines)
			.map(ClusterEntry::parse)
			.toList());
	}

	/**
	 * Returns the node that owns a slot: the claim with the highest epoch prevails.
	 */
	Optional<ClusterEntry> ownerOf(int slot) {
		return this.entries.stream()
			.filter((entry) -> entry.claims(slot))
			.max(Comparator.comparingLong(ClusterEntry::epoch));
	}

	/**
	 * Returns the ports of the nodes that own slots.
	 */
	Set<Integer> masterPorts() {
		return this.entries.stream()
			.flatMap((entry) -> entry.slots().stream())
			.distinct()
			.flatMap((range) -> ownerOf(range.first()).stream())
			.map(ClusterEntry::port)
			.collect(Collectors.toSet());
	}

	Optional<ClusterEntry> onPort(int port) {
		return this.entries.stream().filter((entry) -> entry.port() == port).findFirst();
	}

	/**
	 * Returns a replica of a node, according to the replica itself.
	 */
	Optional<ClusterEntry> replicaOf(String id) {
		return this.entries.stream().filter((entry) -> entry.isMyself() && entry.masterId().equals(id)).findFirst();
	}

}
