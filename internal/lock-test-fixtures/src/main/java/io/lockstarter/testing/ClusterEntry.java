package io.lockstarter.testing;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Entry about a node of a cluster, as one node reports it.
 *
 * @param id the identifier of the node
 * @param port the port of the node
 * @param flags flags such as {@code master}, or {@code myself} for the reporting node
 * @param masterId the identifier of the node's master, or {@code -} for a master
 * @param epoch the epoch; the claim to a slot with the highest epoch prevails
 * @param connected whether the reporting node is connected to the node
 * @param slots the slots that the node claims
 */
record ClusterEntry(String id, int port, Set<String> flags, String masterId, long epoch, boolean connected,
		List<SlotRange> slots) {

	/** Index of the first field with slots. */
	private static final int SLOTS_START = 8;

	/**
	 * Parses a line of {@code CLUSTER NODES}.
	 */
	static ClusterEntry parse(String line) {
		String[] fields = line.split(" ");
		String port = fields[1].substring(fields[1].indexOf(':') + 1, fields[1].indexOf('@'));
		// Migrating slots are repeated in brackets
		List<SlotRange> slots = Arrays.stream(fields)
			.skip(SLOTS_START)
			.filter((slot) -> !slot.startsWith("["))
			.map(SlotRange::parse)
			.toList();
		return new ClusterEntry(fields[0], Integer.parseInt(port), Set.of(fields[2].split(",")), fields[3],
				Long.parseLong(fields[6]), fields[7].equals("connected"), slots);
	}

	boolean isMyself() {
		return this.flags.contains("myself");
	}

	boolean claims(int slot) {
		return this.slots.stream().anyMatch((range) -> range.first <= slot && slot <= range.last);
	}

	/**
	 * Range of slots.
	 */
	record SlotRange(int first, int last) {

		static SlotRange parse(String text) {
			String[] bounds = text.split("-", 2);
			return new SlotRange(Integer.parseInt(bounds[0]), Integer.parseInt(bounds[bounds.length - 1]));
		}

	}

}
