package io.lockstarter.engine.lock;

import java.util.concurrent.TimeUnit;

import io.lockstarter.engine.lease.Moment;

/**
 * Limit on barging before the head of a queue. A hand-over to a running thread costs
 * nothing, while a hand-over to a parked thread costs a context switch. The limits on
 * number and time keep the additional wait of the head unnoticeable. Used under the
 * monitor of the {@link LocalLock}.
 */
final class OvertakingLimit {

	private static final int OVERTAKINGS = 256;

	private static final long LONGEST_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

	/** Interval between two checks of a head that was signalled: 50 µs. */
	private static final long NAP_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

	private final long since;

	private int overtaken;

	/** Number of barging requests at the last check by the head. */
	private int seen = -1;

	private boolean signalled;

	/** Creates the limit for a new head. */
	OvertakingLimit(Moment now) {
		this.since = now.nanos();
	}

	void overtake() {
		this.overtaken++;
	}

	/** Returns whether the head is the next to get the lock. */
	boolean isReached(Moment now) {
		return this.overtaken >= OVERTAKINGS || now.nanos() - this.since >= LONGEST_NANOS;
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
	 * @param onOffer whether the lock is unheld
	 * @return 0 if the head takes the lock, otherwise the time until its next check in
	 * nanoseconds
	 */
	long look(boolean onOffer, Moment now) {
		boolean busy = this.overtaken != this.seen && this.overtaken > 0;
		this.seen = this.overtaken;
		boolean reached = isReached(now);
		if (onOffer && (reached || !busy)) {
			return 0;
		}
		return reached ? Long.MAX_VALUE : NAP_NANOS;
	}

}
