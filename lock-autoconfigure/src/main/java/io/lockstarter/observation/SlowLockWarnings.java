package io.lockstarter.observation;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockMonitor.Held;
import io.lockstarter.core.LockMonitor.LockSnapshot;
import io.lockstarter.core.LockMonitor.Waiting;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockThreads;
import io.lockstarter.core.OneLine;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Warnings in the log about long holds and waits, which are repeated whenever the time
 * has doubled. Holds and waits are checked several times within the shorter threshold, on
 * a separate thread. Without a threshold, nothing is checked.
 */
public final class SlowLockWarnings implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(SlowLockWarnings.class);

	/** Maximum number of warnings of each kind in one check. */
	private static final int MAX_WARNINGS = 10;

	/** Minimum time between two checks: 50 ms. */
	private static final long MIN_PERIOD_MILLIS = 50;

	/** Maximum time between two checks: 5 s. */
	private static final long MAX_PERIOD_MILLIS = 5000;

	private final LockMonitor monitor;

	private final Thresholds thresholds;

	private final Alarms<String> waits = new Alarms<>();

	private final Alarms<Holding> holds = new Alarms<>();

	private @Nullable ScheduledThreadPoolExecutor timer;

	/**
	 * Creates warnings without starting checks.
	 * @param monitor the source of holds and waiting requests
	 * @param thresholds the times from which warnings are logged
	 */
	public SlowLockWarnings(LockMonitor monitor, Thresholds thresholds) {
		this.monitor = monitor;
		this.thresholds = thresholds;
	}

	/**
	 * Starts the checks, if there is a threshold.
	 */
	public synchronized void start() {
		Duration shortest = this.thresholds.shortest();
		if (shortest == null || this.timer != null) {
			return;
		}
		ScheduledThreadPoolExecutor started = new ScheduledThreadPoolExecutor(1, LockThreads.daemons("lock-warnings"));
		long period = Math.max(MIN_PERIOD_MILLIS, Math.min(shortest.toMillis() / 4, MAX_PERIOD_MILLIS));
		started.scheduleWithFixedDelay(this::check, period, period, TimeUnit.MILLISECONDS);
		this.timer = started;
	}

	private void check() {
		try {
			List<Held> held = this.monitor.held();
			Duration longHold = this.thresholds.holdTime();
			if (longHold != null) {
				warnOfHolds(held, longHold);
			}
			Duration longWait = this.thresholds.waitTime();
			if (longWait != null) {
				warnOfWaits(held, longWait);
			}
		}
		catch (RuntimeException ex) {
			// An exception would cancel all further checks.
			logger.error("Checking for slow locks failed", ex);
		}
	}

	private void warnOfHolds(List<Held> held, Duration threshold) {
		Map<Holding, Duration> lasting = new HashMap<>();
		Map<Holding, Held> locks = new HashMap<>();
		for (Held lock : held) {
			Holding holding = new Holding(lock.name(), lock.owner(), lock.since());
			lasting.put(holding, lock.heldFor());
			locks.put(holding, lock);
		}
		this.holds.due(lasting, threshold).forEach((holding, time) -> {
			Held lock = locks.get(holding);
			if (lock != null) {
				logger.warn(
						"Lock '%s'%s (%s) has been held by %s for %s: longer than distributed-lock.warn.hold-time (%s)"
							.formatted(OneLine.of(lock.name()), ofRegistry(), OneLine.of(lock.metricName()),
									OneLine.of(lock.owner().toString()), text(time), text(threshold))
								+ stack(lock.owner()));
			}
		});
	}

	private void warnOfWaits(List<Held> held, Duration threshold) {
		Map<String, List<Waiting>> requests = this.monitor.waiting()
			.stream()
			.collect(Collectors.groupingBy(Waiting::name, TreeMap::new, Collectors.toList()));
		Map<String, Duration> lasting = new HashMap<>();
		requests.forEach((name, all) -> lasting.put(name, first(all).waited()));
		this.waits.due(lasting, threshold).forEach((name, time) -> {
			List<Waiting> all = requests.getOrDefault(name, List.of());
			Waiting first = first(all);
			String warning = String.format(Locale.ROOT,
					"Lock '%s'%s (%s) has kept %s waiting for %s: longer than distributed-lock.warn.wait-time (%s); %d requests wait",
					OneLine.of(name), ofRegistry(), OneLine.of(first.metricName()),
					OneLine.of(first.owner().toString()), text(time), text(threshold), all.size());
			String stacks = held.stream()
				.filter((lock) -> lock.name().equals(name))
				.map((lock) -> stack(lock.owner()))
				.collect(Collectors.joining());
			this.monitor.inspect(name)
				.whenComplete((seen, failure) -> logger.warn(warning + OneLine.of(holders(seen, failure)) + stacks));
		});
	}

	private String ofRegistry() {
		String registry = this.monitor.registry();
		return (registry != null) ? " of registry '%s'".formatted(registry) : "";
	}

	private static Waiting first(List<Waiting> requests) {
		return requests.stream().max(Comparator.comparing(Waiting::waited)).orElseThrow();
	}

	private static String holders(@Nullable LockSnapshot seen, @Nullable Throwable failure) {
		if (seen == null) {
			return "; its holder is unknown: " + ((failure != null) ? failure.getMessage() : "no reply");
		}
		if (seen.holders().isEmpty()) {
			return "; it is free now";
		}
		return seen.holders().stream().map((lock) -> "; " + lock.holder()).collect(Collectors.joining());
	}

	private String stack(LockOwner owner) {
		Thread thread = owner.worker();
		if (!this.thresholds.stackTrace() || thread == null) {
			return "";
		}
		return "\n\tHeld by thread %s".formatted(OneLine.of(thread.getName())) + Arrays.stream(thread.getStackTrace())
			.map((frame) -> "\n\t\tat " + frame)
			.collect(Collectors.joining());
	}

	private static String text(Duration time) {
		return String.format(Locale.ROOT, "%d ms", time.toMillis());
	}

	@Override
	public synchronized void close() {
		if (this.timer != null) {
			this.timer.shutdownNow();
		}
	}

	/**
	 * Times from which warnings are logged.
	 *
	 * @param waitTime the time that a request may wait, or {@code null} for no warning
	 * @param holdTime the time that a lock may be held, or {@code null} for no warning
	 * @param stackTrace whether to log the stack trace of the thread that holds a lock
	 */
	public record Thresholds(@Nullable Duration waitTime, @Nullable Duration holdTime, boolean stackTrace) {

		private @Nullable Duration shortest() {
			if (this.waitTime == null || this.holdTime == null) {
				return (this.waitTime != null) ? this.waitTime : this.holdTime;
			}
			return (this.waitTime.compareTo(this.holdTime) < 0) ? this.waitTime : this.holdTime;
		}

	}

	/**
	 * Identity of a hold. An owner may have several holds of a lock one after another.
	 */
	private record Holding(String name, LockOwner owner, Instant since) {
	}

	/**
	 * Times of the next warnings.
	 *
	 * @param <K> the type of holds or waits
	 */
	private static final class Alarms<K> {

		private final Map<K, Duration> next = new HashMap<>();

		/**
		 * Returns the holds or waits that are due for a warning, longest first, at most
		 * {@value #MAX_WARNINGS}.
		 */
		Map<K, Duration> due(Map<K, Duration> lasting, Duration threshold) {
			this.next.keySet().retainAll(lasting.keySet());
			Map<K, Duration> due = new LinkedHashMap<>();
			lasting.entrySet()
				.stream()
				.filter((entry) -> entry.getValue().compareTo(this.next.getOrDefault(entry.getKey(), threshold)) >= 0)
				.sorted(Map.Entry.<K, Duration>comparingByValue().reversed())
				.limit(MAX_WARNINGS)
				.forEachOrdered((entry) -> due.put(entry.getKey(), entry.getValue()));
			due.forEach((key, time) -> this.next.put(key, time.multipliedBy(2)));
			return due;
		}

	}

}
