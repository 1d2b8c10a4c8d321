package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.Locale;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.engine.lease.Moment;

/**
 * Period in which the backend has replied to none of the acquire requests for a lock.
 *
 * @param since the moment at which the first of them was sent
 * @param latest the latest failure
 * @param pauseNanos the time until the next request, in nanoseconds
 */
record Outage(Moment since, LockBackendException latest, long pauseNanos) {

	/** Time until the first retry: 100 ms. The time doubles with each further failure. */
	private static final long FIRST_PAUSE_NANOS = Duration.ofMillis(100).toNanos();

	/** Maximum time until a retry: 1 s. */
	private static final long LAST_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

	/** Begins an outage with a failed request. */
	static Outage begin(Moment sentAt, LockBackendException failure) {
		return new Outage(sentAt, failure, FIRST_PAUSE_NANOS);
	}

	/** Continues the outage with another failed request. */
	Outage extend(LockBackendException failure) {
		return new Outage(this.since, failure, Math.min(2 * this.pauseNanos, LAST_PAUSE_NANOS));
	}

	/** Returns whether a failure may end soon without intervention. */
	static boolean isTemporary(LockBackendException failure) {
		return switch (failure.reason()) {
			case UNREACHABLE, TIMEOUT, READ_ONLY, LOADING, CLUSTER_DOWN, OUT_OF_MEMORY, WRITES_REFUSED,
					NOT_REPLICATED ->
				true;
			case NOT_AUTHORIZED, FOREIGN_KEY, CLOCKS_APART, NOT_SUPPORTED, JVM_EXHAUSTED, OTHER -> false;
		};
	}

	/** Returns the failure of a request whose wait ends during the outage. */
	LockBackendException failureOf(Waiter waiter, Moment now) {
		Duration waited = waiter.waited(now);
		long silent = Math.min(now.nanos() - this.since.nanos(), waited.toNanos());
		return new LockBackendException(this.latest.lockName(), this.latest.reason(),
				String.format(Locale.ROOT, "for the last %d ms of %d ms waited: %s",
						Duration.ofNanos(silent).toMillis(), waited.toMillis(), this.latest.detail()),
				this.latest.mayHaveRun(), this.latest);
	}

}
