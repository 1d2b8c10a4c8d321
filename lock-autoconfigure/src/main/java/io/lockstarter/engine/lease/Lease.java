package io.lockstarter.engine.lease;

import java.time.Duration;

import io.lockstarter.core.Durations;

/**
 * Confirmed lease, counted from before the confirmed request was sent, less a margin for
 * the drift between two clocks.
 *
 * @param start the moment before the request was sent
 * @param usableNanos the lease less the margin, in nanoseconds
 */
public record Lease(Moment start, long usableNanos) {

	/** Constant part of the margin: 2 ms. The other part is a hundredth of the lease. */
	private static final long MARGIN_NANOS = 2_000_000;

	public static Lease of(Moment start, Duration lease) {
		long nanos = lease.toNanos();
		return new Lease(start, nanos - nanos / 100 - MARGIN_NANOS);
	}

	public long remainingNanos(Moment now) {
		return this.usableNanos - this.start.elapsedNanos(now);
	}

	/**
	 * Returns the monotonic time, in nanoseconds, after which the lease must no longer be
	 * relied on.
	 */
	public long deadlineNanos() {
		return this.start.nanos() + this.usableNanos;
	}

	/**
	 * Validates a lease.
	 * @param what the subject of the message
	 * @throws IllegalArgumentException if the lease is too short or too long
	 */
	public static void requireUsable(String what, Duration lease) {
		String objection = Durations.objection(lease, Durations.SHORTEST_LEASE);
		if (objection != null) {
			throw new IllegalArgumentException(what + " " + objection);
		}
	}

}
