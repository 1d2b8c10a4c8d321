package io.lockstarter.engine.lease;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Notices that the wall clock gains on the monotonic one: this machine was suspended, or
 * its clock set forward. What waits by the monotonic clock then waits too long. Used by
 * one thread.
 */
public final class ClockJumpDetector {

	/** More than the steps in which some systems' wall clocks go on. */
	private static final long SHORTEST_MILLIS = 50;

	/** How long it may take to read both clocks for them to be compared. */
	private static final long LONGEST_LOOK_NANOS = 1_000_000;

	private final LongSupplier nanos;

	private final LongSupplier millis;

	private final Runnable onLeap;

	/** How far the wall clock was ahead when that was last taken notice of. */
	private long lead = Long.MAX_VALUE;

	/**
	 * Compare two clocks.
	 * @param nanos the monotonic clock
	 * @param millis the wall clock
	 * @param onLeap is run when the wall clock has gained
	 */
	public ClockJumpDetector(LongSupplier nanos, LongSupplier millis, Runnable onLeap) {
		this.nanos = nanos;
		this.millis = millis;
		this.onLeap = onLeap;
	}

	/** Look at the clocks. */
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
