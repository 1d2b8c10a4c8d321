package io.lockstarter.observation;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockMonitor.Held;
import io.lockstarter.core.LockMonitor.Waiting;

/**
 * Snapshot of the holds and waiting requests in one lock registry, by metric name. All
 * gauges that are read within 5 ms share a snapshot, however many names and locks there
 * are.
 * <p>
 * Safe for use by multiple threads.
 */
final class GaugeSnapshot {

	/** Time for which gauges share a snapshot: 5 ms. */
	private static final long SHARED_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	private final LockMonitor monitor;

	private final LongSupplier clock;

	private Map<String, Work> snapshot = Map.of();

	private long takenAt;

	private boolean taken;

	/**
	 * Creates an empty snapshot.
	 * @param monitor the source of holds and waiting requests
	 * @param clock the monotonic clock, in nanoseconds
	 */
	GaugeSnapshot(LockMonitor monitor, LongSupplier clock) {
		this.monitor = monitor;
		this.clock = clock;
	}

	/** Returns the holds and waiting requests of a name. */
	synchronized Work of(String name) {
		long now = this.clock.getAsLong();
		if (!this.taken || now - this.takenAt > SHARED_NANOS) {
			this.snapshot = take();
			this.takenAt = now;
			this.taken = true;
		}
		return this.snapshot.getOrDefault(name, Work.NONE);
	}

	private Map<String, Work> take() {
		Map<String, Work> found = new HashMap<>();
		this.monitor.held().forEach((hold) -> found.merge(hold.metricName(), Work.of(hold), Work::plus));
		this.monitor.waiting().forEach((wait) -> found.merge(wait.metricName(), Work.of(wait), Work::plus));
		return found;
	}

	/**
	 * Holds and waiting requests of a name.
	 *
	 * @param held the number of holds
	 * @param permitsHeld the number of holds of locks with several permits
	 * @param waiting the number of waiting requests
	 * @param oldestHold the age of the oldest hold
	 * @param longestWait the age of the oldest waiting request
	 */
	record Work(int held, int permitsHeld, int waiting, Duration oldestHold, Duration longestWait) {

		static final Work NONE = new Work(0, 0, 0, Duration.ZERO, Duration.ZERO);

		private static Work of(Held hold) {
			return new Work(1, (hold.permits() > 1) ? 1 : 0, 0, hold.heldFor(), Duration.ZERO);
		}

		private static Work of(Waiting wait) {
			return new Work(0, 0, 1, Duration.ZERO, wait.waited());
		}

		private Work plus(Work other) {
			return new Work(this.held + other.held, this.permitsHeld + other.permitsHeld, this.waiting + other.waiting,
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
