package io.lockstarter.contract;

/**
 * Lets a time of some microseconds pass without giving up the processor, to try out many
 * interleavings. No test relies on how long it really is.
 */
final class Pauses {

	private Pauses() {
	}

	static void micros(long micros) {
		long end = System.nanoTime() + micros * 1000;
		while (System.nanoTime() < end) {
			Thread.onSpinWait();
		}
	}

}
