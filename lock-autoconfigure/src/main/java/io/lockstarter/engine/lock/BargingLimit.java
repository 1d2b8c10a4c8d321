package io.lockstarter.engine.lock;

import java.util.concurrent.TimeUnit;

import io.lockstarter.engine.lease.Moment;

/**
 * Limit on barging before the head of a queue. A hand-over to a running thread costs
 * nothing, while a hand-over to a parked thread costs a context switch. The limits on
 * number and time keep the additional wait of the head unnoticeable. Used under the
 * monitor of the {@link LocalLock}.
 */
final class BargingLimit {

	/** Maximum number of requests that barge before one head. */
	private static final int MAX_BARGES = 256;

	/** Maximum time for which requests barge before one head: 200 µs. */
	private static final long LONGEST_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

	/** Interval between two checks of a head that was signalled: 50 µs. */
	private static final long NAP_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

	private final long since;

	private int barged;

	/** Number of barging requests at the last check by the head. */
	private int seen = -1;

	private boolean signalled;

	/** Creates the limit for a new head. */
	BargingLimit(Moment now) {
		this.since = now.nanos();
	}

	void barge() {
		this.barged++;
	}

	/** Returns whether the head is the next to get the lock. */
	boolean isReached(Moment now) {
		return this.barged >= MAX_BARGES || now.nanos() - this.since >= LONGEST_NANOS;
	}

	/**
	 * Returns whether the caller has to signal the head, which is so only the first time.
	 */
	boolean beginSignal() {
		boolean first = !this.signalled;
		this.signalled = true;
		return first;
	}

	/**
	 * Handles a check by the head after it was signalled.
	 * @param unheld whether the lock is unheld
	 * @return 0 if the head takes the lock, otherwise the time until its next check in
	 * nanoseconds
	 */
	long check(boolean unheld, Moment now) {
		boolean busy = this.barged != this.seen && this.barged > 0;
		this.seen = this.barged;
		boolean reached = isReached(now);
		if (unheld && (reached || !busy)) {
			return 0;
		}
		return reached ? Long.MAX_VALUE : NAP_NANOS;
	}

}
