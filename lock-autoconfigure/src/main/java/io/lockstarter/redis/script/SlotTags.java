package io.lockstarter.redis.script;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Short texts by the slot of a cluster that a key with them in braces belongs to.
 */
final class SlotTags {

	private static final int SLOTS = 16_384;

	/** By slot, the lowest number whose digits belong to it. */
	private static final int[] NUMBERS = numbers();

	private SlotTags() {
	}

	static String of(int slot) {
		return text(NUMBERS[slot]);
	}

	private static int[] numbers() {
		int[] numbers = new int[SLOTS];
		boolean[] known = new boolean[SLOTS];
		int missing = SLOTS;
		for (int number = 0; missing > 0; number++) {
			int slot = ClusterSlotHashUtil.calculateSlot(text(number));
			if (!known[slot]) {
				known[slot] = true;
				numbers[slot] = number;
				missing--;
			}
		}
		return numbers;
	}

	private static String text(int number) {
		return Integer.toString(number, Character.MAX_RADIX);
	}

}
