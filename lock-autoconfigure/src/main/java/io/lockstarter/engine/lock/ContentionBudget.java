package io.lockstarter.engine.lock;

import java.util.concurrent.TimeUnit;

import io.lockstarter.engine.lease.Moment;

/**
 * How long a tenure may still be handed on in this JVM since another instance waits: for
 * a number of holds and a time. Used under the monitor of the {@link LocalLock}.
 */
final class ContentionBudget {

	private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private final int limit;

	private final long since;

	private int handedOver;

	/**
	 * Begin when another instance waits, or may do so unheard.
	 * @param limit how many hand-overs others wait for
	 */
	ContentionBudget(int limit, Moment now) {
		this.limit = limit;
		this.since = now.nanos();
	}

	void handOver() {
		this.handedOver++;
	}

	/** Whether others have waited long enough. */
	boolean isOver(Moment now) {
		return this.handedOver >= this.limit || now.nanos() - this.since >= LONGEST_NANOS;
	}

	/** Whether others have waited long enough for hand-overs. */
	boolean isSpent(Moment now) {
		return this.handedOver > 0 && isOver(now);
	}

}
