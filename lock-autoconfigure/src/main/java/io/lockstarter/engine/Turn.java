package io.lockstarter.engine;

import java.util.concurrent.TimeUnit;

/**
 * For how long running threads may overtake the head of a queue: handing a lock to a
 * thread that runs costs nothing, to one that sleeps a context switch. The bounds, in
 * number and in time, are such that nobody waits noticeably longer for it. Used under the
 * monitor of the {@link LocalLock}.
 */
final class Turn {

	private static final int OVERTAKINGS = 256;

	private static final long LONGEST_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

	/** How long a head that has been called sleeps between two looks. */
	private static final long NAP_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

	private long since;

	private int overtaken;

	private int seen;

	private boolean called;

	/** Another waiter is the head now. */
	void begin() {
		this.since = System.nanoTime();
		this.overtaken = 0;
		this.seen = -1;
		this.called = false;
	}

	void overtake() {
		this.overtaken++;
	}

	/** Whether the next to get the lock is the head. */
	boolean isOver(Moment now) {
		return this.overtaken >= OVERTAKINGS || now.nanos() - this.since >= LONGEST_NANOS;
	}

	/** Whether the head is still to be woken, which the caller then does. */
	boolean call() {
		boolean first = !this.called;
		this.called = true;
		return first;
	}

	/**
	 * The head looks after it was called.
	 * @param offered whether the lock is there for the head to take
	 * @return 0 if it takes it; otherwise after how long it looks again, in nanoseconds,
	 * if it is not handed the lock before
	 */
	long look(boolean offered, Moment now) {
		boolean busy = this.overtaken != this.seen && this.overtaken > 0;
		this.seen = this.overtaken;
		boolean over = isOver(now);
		if (offered && (over || !busy)) {
			return 0;
		}
		return over ? Long.MAX_VALUE : NAP_NANOS;
	}

}
