package io.lockstarter.redis.script;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Short hash tags by slot of a cluster. Finding the tags of all slots takes long, so they
 * are searched for on demand.
 */
final class SlotTags {

	private static final int SLOTS = 16_384;

	/**
	 * For each slot, one more than the lowest number whose digits are a tag of the slot,
	 * or 0 if not searched. A tag that another thread has found may be visible late, and
	 * is then looked up under the lock.
	 */
	private static final int[] FOUND = new int[SLOTS];

	/** Lowest number whose slot is not computed. */
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
