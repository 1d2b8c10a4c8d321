package io.lockstarter.engine.lock;

import java.util.concurrent.TimeUnit;

import io.lockstarter.engine.lease.Moment;

/**
 * How long a tenure may be handed on in this JVM: without limit while no other instance
 * waits, and from the moment that one does for a number of holds and a time. Used under
 * the monitor of the {@link LocalLock}.
 */
final class ContentionBudget {

	private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private final int limit;

	private boolean contended;

	private long since;

	private int handedOver;

	/**
	 * Begin a tenure.
	 * @param limit how many hand-overs others wait for
	 */
	ContentionBudget(int limit) {
		this.limit = limit;
	}

	/** Another instance waits, or may do so unheard. */
	void contend(Moment now) {
		if (!this.contended) {
			this.contended = true;
			this.since = now.nanos();
			this.handedOver = 0;
		}
	}

	boolean isContended() {
		return this.contended;
	}

	void handOver() {
		this.handedOver++;
	}

	/** Whether others have waited long enough. */
	boolean isOver(Moment now) {
		return this.contended && (this.handedOver >= this.limit || now.nanos() - this.since >= LONGEST_NANOS);
	}

	/** Whether others have waited long enough for hand-overs. */
	boolean isSpent(Moment now) {
		return this.handedOver > 0 && isOver(now);
	}

}
