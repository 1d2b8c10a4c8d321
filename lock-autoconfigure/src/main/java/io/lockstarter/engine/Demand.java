package io.lockstarter.engine;

import java.util.concurrent.TimeUnit;

/**
 * How long a tenure may be handed on in this JVM: without limit while no other client
 * waits, and from the moment that one does for a number of holds and a time. Used under
 * the monitor of the {@link LocalLock}.
 */
final class Demand {

	private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private final int limit;

	private boolean remote;

	private long since;

	private int handedOver;

	/**
	 * Begin a tenure.
	 * @param limit how many hand-overs others wait for
	 */
	Demand(int limit) {
		this.limit = limit;
	}

	/** Another client waits, or may do so. */
	void wanted() {
		if (!this.remote) {
			this.remote = true;
			this.since = System.nanoTime();
			this.handedOver = 0;
		}
	}

	boolean isRemote() {
		return this.remote;
	}

	void handOver() {
		this.handedOver++;
	}

	/** Whether others have waited long enough. */
	boolean isUrgent() {
		return this.remote && (this.handedOver >= this.limit || System.nanoTime() - this.since >= LONGEST_NANOS);
	}

	/** Whether others have waited for hand-overs long enough. */
	boolean isSpent() {
		return this.handedOver > 0 && isUrgent();
	}

}
