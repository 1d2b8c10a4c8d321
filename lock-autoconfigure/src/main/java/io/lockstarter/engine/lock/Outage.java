package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.Locale;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.engine.lease.Moment;

/**
 * A time in which the backend has answered none of the questions for a lock.
 *
 * @param since when the first of them was asked
 * @param latest how the latest has failed
 * @param pauseNanos how long to wait before the next
 */
record Outage(Moment since, LockBackendException latest, long pauseNanos) {

	private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(100).toNanos();

	private static final long LAST_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

	/** Begin with a question that has failed. */
	static Outage begin(Moment asked, LockBackendException failure) {
		return new Outage(asked, failure, FIRST_PAUSE_NANOS);
	}

	/** Another question has failed. */
	Outage goOn(LockBackendException failure) {
		return new Outage(this.since, failure, Math.min(2 * this.pauseNanos, LAST_PAUSE_NANOS));
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

	/** What to tell somebody whose wait ends meanwhile. */
	LockBackendException failureOf(Waiter waiter, Moment now) {
		Duration waited = waiter.waited(now);
		long silent = Math.min(now.nanos() - this.since.nanos(), waited.toNanos());
		return new LockBackendException(this.latest.lockName(), this.latest.reason(),
				String.format(Locale.ROOT, "for the last %d ms of %d ms waited: %s",
						Duration.ofNanos(silent).toMillis(), waited.toMillis(), this.latest.detail()),
				this.latest.mayHaveRun(), this.latest);
	}

}
