package io.lockstarter.redis.script;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Short texts by the slot of a cluster that a key with them in braces belongs to. Those
 * of all slots take long to find, so they are looked for as far as needed.
 */
final class SlotTags {

	private static final int SLOTS = 16_384;

	/**
	 * By slot, one more than the lowest number whose digits belong to it, or 0. What
	 * another thread has found may be seen late, and is then looked up under the lock.
	 */
	private static final int[] FOUND = new int[SLOTS];

	/** The lowest number that nobody has looked at. */
	private static int next;

	private SlotTags() {
	}

	static String of(int slot) {
		int found = FOUND[slot];
		return text(((found != 0) ? found : find(slot)) - 1);
	}

	private static synchronized int find(int slot) {
		while (FOUND[slot] == 0) {
			int reached = ClusterSlotHashUtil.calculateSlot(text(next));
			next++;
			if (FOUND[reached] == 0) {
				FOUND[reached] = next;
			}
		}
		return FOUND[slot];
	}

	private static String text(int number) {
		return Integer.toString(number, Character.MAX_RADIX);
	}

}
