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
	private static final long MIN_JUMP_MILLIS = 50;

	/** Maximum time to read both clocks for a comparison to count: 1 ms. */
	private static final long MAX_READ_NANOS = 1_000_000;

	private final LongSupplier nanos;

	private final LongSupplier millis;

	private final Runnable onJump;

	/** Lead of the wall clock when it was last recorded, in milliseconds. */
	private long lead = Long.MAX_VALUE;

	/**
	 * Creates a detector.
	 * @param nanos the monotonic clock
	 * @param millis the wall clock
	 * @param onJump is called when the wall clock has jumped ahead
	 */
	public ClockJumpDetector(LongSupplier nanos, LongSupplier millis, Runnable onJump) {
		this.nanos = nanos;
		this.millis = millis;
		this.onJump = onJump;
	}

	/** Compares the clocks. */
	public void check() {
		long before = this.nanos.getAsLong();
		long wall = this.millis.getAsLong();
		if (this.nanos.getAsLong() - before <= MAX_READ_NANOS) {
			compare(wall - TimeUnit.NANOSECONDS.toMillis(before));
		}
	}

	private void compare(long leadNow) {
		boolean jumped = leadNow - MIN_JUMP_MILLIS > this.lead;
		if (jumped || leadNow < this.lead) {
			this.lead = leadNow;
		}
		if (jumped) {
			this.onJump.run();
		}
	}

}
