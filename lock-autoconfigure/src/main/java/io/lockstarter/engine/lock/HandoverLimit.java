package io.lockstarter.engine.lock;

import java.util.concurrent.TimeUnit;

import io.lockstarter.engine.lease.Moment;

/**
 * Limit on hand-overs within this JVM while another instance waits, as a number of
 * hand-overs and a time. Used under the monitor of the {@link LocalLock}.
 */
final class HandoverLimit {

	/** Maximum time of hand-overs while another instance waits: 10 ms. */
	private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private final int limit;

	private final long since;

	private int handedOver;

	/**
	 * Creates the limit when another instance waits, or may wait unnoticed.
	 * @param limit the number of hand-overs that other instances wait for
	 */
	HandoverLimit(int limit, Moment now) {
		this.limit = limit;
		this.since = now.nanos();
	}

	void handOver() {
		this.handedOver++;
	}

	/** Returns whether the other instances have waited long enough. */
	boolean isOver(Moment now) {
		return this.handedOver >= this.limit || now.nanos() - this.since >= LONGEST_NANOS;
	}

	/**
	 * Returns whether the other instances have waited long enough, and at least one
	 * hand-over has happened.
	 */
	boolean isSpent(Moment now) {
		return this.handedOver > 0 && isOver(now);
	}

}
