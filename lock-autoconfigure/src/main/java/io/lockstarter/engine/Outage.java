package io.lockstarter.engine;

import java.time.Duration;

import io.lockstarter.core.LockBackendException;

/**
 * A time in which the backend has answered none of the questions for a lock.
 */
final class Outage {

	private final long since;

	private LockBackendException latest;

	/**
	 * Begin with a question that has failed.
	 * @param since when it was asked
	 */
	Outage(long since, LockBackendException failure) {
		this.since = since;
		this.latest = failure;
	}

	/** Whether a failure may be over a little later without anybody's doing. */
	static boolean mayBe(LockBackendException failure) {
		return switch (failure.reason()) {
			case UNREACHABLE, TIMEOUT, READ_ONLY, LOADING, CLUSTER_DOWN, OUT_OF_MEMORY, WRITES_REFUSED,
					NOT_REPLICATED ->
				true;
			case NOT_AUTHORIZED, FOREIGN_KEY, CLOCKS_APART, NOT_SUPPORTED, JVM_EXHAUSTED, OTHER -> false;
		};
	}

	void goesOn(LockBackendException failure) {
		this.latest = failure;
	}

	/** What to tell somebody whose wait ends meanwhile. */
	LockBackendException failureOf(Waiter waiter) {
		Duration waited = waiter.waited();
		long silent = Math.min(System.nanoTime() - this.since, waited.toNanos());
		return new LockBackendException(
				this.latest.lockName(), this.latest.reason(), "for the last %d ms of %d ms waited: %s"
					.formatted(Duration.ofNanos(silent).toMillis(), waited.toMillis(), this.latest.detail()),
				this.latest.mayHaveRun(), this.latest);
	}

}
