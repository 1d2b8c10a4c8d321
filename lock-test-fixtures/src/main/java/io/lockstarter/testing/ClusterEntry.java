package io.lockstarter.testing;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * What one node of a cluster says of a node.
 *
 * @param id identifier of the node that this is about
 * @param port its port
 * @param flags such as {@code master} or, for the node that says it, {@code myself}
 * @param masterId identifier of its master, {@code -} for a master
 * @param epoch the claim to a slot with the highest epoch wins
 * @param connected whether there is a connection to it
 * @param slots slots that it claims
 */
record ClusterEntry(String id, int port, Set<String> flags, String masterId, long epoch, boolean connected,
		List<SlotRange> slots) {

	private static final int SLOTS_START = 8;

	/**
	 * Parse a line of {@code CLUSTER NODES}.
	 */
	static ClusterEntry parse(String line) {
		String[] fields = line.split(" ");
		String port = fields[1].substring(fields[1].indexOf(':') + 1, fields[1].indexOf('@'));
		// Slots on the move are repeated in brackets
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
	 * Slots in a row.
	 */
	record SlotRange(int first, int last) {

		static SlotRange parse(String text) {
			String[] bounds = text.split("-", 2);
			return new SlotRange(Integer.parseInt(bounds[0]), Integer.parseInt(bounds[bounds.length - 1]));
		}

	}

}
