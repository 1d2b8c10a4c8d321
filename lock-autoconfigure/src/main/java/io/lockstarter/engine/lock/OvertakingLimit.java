package io.lockstarter.engine.lock;

import java.util.concurrent.TimeUnit;

import io.lockstarter.engine.lease.Moment;

/**
 * How long running threads may overtake the head of a queue: to hand a lock to a thread
 * that runs costs nothing, to one that sleeps a context switch. The limits, in number and
 * in time, are such that nobody waits noticeably longer. Used under the monitor of the
 * {@link LocalLock}.
 */
final class OvertakingLimit {

	private static final int OVERTAKINGS = 256;

	private static final long LONGEST_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

	/** How long a head that was signalled sleeps between two looks. */
	private static final long NAP_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

	private final long since;

	private int overtaken;

	/** How many had overtaken the head when it looked last. */
	private int seen = -1;

	private boolean signalled;

	/** Another waiter is the head now. */
	OvertakingLimit(Moment now) {
		this.since = now.nanos();
	}

	void overtake() {
		this.overtaken++;
	}

	/** Whether the next to get the lock is the head. */
	boolean isReached(Moment now) {
		return this.overtaken >= OVERTAKINGS || now.nanos() - this.since >= LONGEST_NANOS;
	}

	/** Whether the head is still to be woken. The caller does so. */
	boolean beginSignal() {
		boolean first = !this.signalled;
		this.signalled = true;
		return first;
	}

	/**
	 * The head looks after it was signalled.
	 * @param onOffer whether the lock is there for the head to take
	 * @return 0 if the head takes it; otherwise after how many nanoseconds it looks again
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
