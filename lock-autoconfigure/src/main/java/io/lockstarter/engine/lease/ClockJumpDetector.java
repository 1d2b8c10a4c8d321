package io.lockstarter.engine.lease;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Detector of a wall clock that jumps ahead of the monotonic clock, because the machine
 * was suspended or its clock was set forward. After such a jump, timers that use the
 * monotonic clock fire too late. Used by one thread.
 */
public final class ClockJumpDetector {

	/**
	 * Minimum jump: 50 ms, more than the resolution of the wall clock on some systems.
	 */
	private static final long SHORTEST_MILLIS = 50;

	/** Maximum time to read both clocks for a comparison to count: 1 ms. */
	private static final long LONGEST_LOOK_NANOS = 1_000_000;

	private final LongSupplier nanos;

	private final LongSupplier millis;

	private final Runnable onLeap;

	/** Lead of the wall clock when it was last recorded, in milliseconds. */
	private long lead = Long.MAX_VALUE;

	/**
	 * Creates a detector.
	 * @param nanos the monotonic clock
	 * @param millis the wall clock
	 * @param onLeap is called when the wall clock has jumped ahead
	 */
	public ClockJumpDetector(LongSupplier nanos, LongSupplier millis, Runnable onLeap) {
		this.nanos = nanos;
		this.millis = millis;
		this.onLeap = onLeap;
	}

	/** Compares the clocks. */
	public void look() {
		long before = this.nanos.getAsLong();
		long wall = this.millis.getAsLong();
		if (this.nanos.getAsLong() - before <= LONGEST_LOOK_NANOS) {
			compare(wall - TimeUnit.NANOSECONDS.toMillis(before));
		}
	}

	private void compare(long leadNow) {
		boolean leapt = leadNow - SHORTEST_MILLIS > this.lead;
		if (leapt || leadNow < this.lead) {
			this.lead = leadNow;
		}
		if (leapt) {
			this.onLeap.run();
		}
	}

}
