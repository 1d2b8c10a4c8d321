package io.lockstarter.benchmarks.worker;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;

/**
 * Heap of this JVM.
 */
final class Heap {

	private static final int COLLECTIONS = 4;

	private static final long PAUSE_MILLIS = 100;

	private Heap() {
	}

	/** Collects garbage, and returns the remaining bytes. */
	static long usedBytes() throws InterruptedException {
		MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
		for (int i = 0; i < COLLECTIONS; i++) {
			memory.gc();
			// Objects of cleared references are removed by the next collection
			Thread.sleep(PAUSE_MILLIS);
		}
		return memory.getHeapMemoryUsage().getUsed();
	}

}
