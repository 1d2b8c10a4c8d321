package io.lockstarter.testing;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What nodes of a cluster say of each other, which may be contradictory.
 */
record ClusterView(List<ClusterEntry> entries) {

	/**
	 * Ask nodes that answer.
	 */
	static ClusterView of(Stream<RedisServer> nodes) {
		return new ClusterView(nodes.map((node) -> String.valueOf(node.cli("CLUSTER", "NODES")))
			.flatMap(String::lines)
			.map(ClusterEntry::parse)
			.toList());
	}

	/**
	 * The node whose claim to a slot prevails: as among the nodes, that of the highest
	 * epoch.
	 */
	Optional<ClusterEntry> ownerOf(int slot) {
		return this.entries.stream()
			.filter((entry) -> entry.claims(slot))
			.max(Comparator.comparingLong(ClusterEntry::epoch));
	}

	/**
	 * Ports of the nodes that own slots.
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
	 * A node that says itself that it replicates another one.
	 */
	Optional<ClusterEntry> replicaOf(String id) {
		return this.entries.stream().filter((entry) -> entry.isMyself() && entry.masterId().equals(id)).findFirst();
	}

}
