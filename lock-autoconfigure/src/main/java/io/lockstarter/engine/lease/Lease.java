package io.lockstarter.engine.lease;

import java.time.Duration;

import io.lockstarter.core.Durations;

/**
 * For how long a confirmed lease may be relied on: counted from before the confirmed
 * request was sent, less a margin for the drift between two clocks.
 *
 * @param start the moment before the request was sent
 * @param usableNanos the lease less the margin
 */
public record Lease(Moment start, long usableNanos) {

	private static final long MARGIN_NANOS = 2_000_000;

	public static Lease of(Moment start, Duration lease) {
		long nanos = lease.toNanos();
		return new Lease(start, nanos - nanos / 100 - MARGIN_NANOS);
	}

	public long remainingNanos(Moment now) {
		return this.usableNanos - this.start.elapsedNanos(now);
	}

	/** The monotonic time at which the lease must no longer be relied on. */
	public long deadlineNanos() {
		return this.start.nanos() + this.usableNanos;
	}

	/**
	 * Refuse a lease that cannot be kept.
	 * @param what what the lease is of, as the message says it
	 * @throws IllegalArgumentException if it is too short or too long
	 */
	public static void requireUsable(String what, Duration lease) {
		String objection = Durations.objection(lease, Durations.SHORTEST_LEASE);
		if (objection != null) {
			throw new IllegalArgumentException(what + " " + objection);
		}
	}

}
