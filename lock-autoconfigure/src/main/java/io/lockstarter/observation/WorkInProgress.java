package io.lockstarter.observation;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.lockstarter.core.LockMonitor;

/**
 * What is held and waited for in one registry, by name. All gauges that are read within
 * some milliseconds share a look, however many names and locks there are.
 */
final class WorkInProgress {

	private static final long SHARED_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	private final LockMonitor monitor;

	private final LongSupplier clock;

	private Map<String, Work> seen = Map.of();

	private long seenAt;

	private boolean looked;

	/**
	 * Look at a monitor.
	 * @param clock nanoseconds, by which a look grows old
	 */
	WorkInProgress(LockMonitor monitor, LongSupplier clock) {
		this.monitor = monitor;
		this.clock = clock;
	}

	/** Return what goes on under a name. */
	synchronized Work of(String name) {
		long now = this.clock.getAsLong();
		if (!this.looked || now - this.seenAt > SHARED_NANOS) {
			this.seen = look();
			this.seenAt = now;
			this.looked = true;
		}
		return this.seen.getOrDefault(name, Work.NONE);
	}

	private Map<String, Work> look() {
		Map<String, Work> found = new HashMap<>();
		this.monitor.held()
			.forEach((hold) -> found.merge(hold.metricName(), new Work(1, 0, hold.heldFor(), Duration.ZERO),
					Work::plus));
		this.monitor.waiting()
			.forEach(
					(wait) -> found.merge(wait.metricName(), new Work(0, 1, Duration.ZERO, wait.waited()), Work::plus));
		return found;
	}

	/**
	 * What goes on under a name.
	 *
	 * @param held how many locks are held
	 * @param waiting how many requests wait
	 * @param oldestHold for how long the oldest hold has lasted
	 * @param longestWait for how long a request has waited at most
	 */
	record Work(int held, int waiting, Duration oldestHold, Duration longestWait) {

		static final Work NONE = new Work(0, 0, Duration.ZERO, Duration.ZERO);

		private Work plus(Work other) {
			return new Work(this.held + other.held, this.waiting + other.waiting,
					longer(this.oldestHold, other.oldestHold), longer(this.longestWait, other.longestWait));
		}

		private static Duration longer(Duration one, Duration other) {
			return (one.compareTo(other) >= 0) ? one : other;
		}

		double oldestHoldSeconds() {
			return seconds(this.oldestHold);
		}

		double longestWaitSeconds() {
			return seconds(this.longestWait);
		}

		private static double seconds(Duration time) {
			return time.toNanos() / 1e9;
		}

	}

}
