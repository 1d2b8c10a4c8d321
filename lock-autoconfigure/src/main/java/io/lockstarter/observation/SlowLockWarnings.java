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
 * Warns in the log of locks that are waited for or held for longer than some time, and
 * again whenever that has doubled. Looks a few times within the shorter of both times, on
 * a thread of its own, and at nothing if there is none.
 */
public final class SlowLockWarnings implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(SlowLockWarnings.class);

	/** More than these have to wait for the next look. */
	private static final int MOST_AT_ONCE = 10;

	private static final long SHORTEST_PERIOD_MILLIS = 50;

	private static final long LONGEST_PERIOD_MILLIS = 5000;

	private final LockMonitor monitor;

	private final Thresholds thresholds;

	private final Alarms<String> waits = new Alarms<>();

	private final Alarms<Holding> holds = new Alarms<>();

	private @Nullable ScheduledThreadPoolExecutor timer;

	/**
	 * Watch the locks of a monitor.
	 * @param monitor whose locks to watch
	 * @param thresholds what is long
	 */
	public SlowLockWarnings(LockMonitor monitor, Thresholds thresholds) {
		this.monitor = monitor;
		this.thresholds = thresholds;
	}

	/**
	 * Begin to look, if anything is to be warned of.
	 */
	public synchronized void start() {
		Duration shortest = this.thresholds.shortest();
		if (shortest == null || this.timer != null) {
			return;
		}
		ScheduledThreadPoolExecutor started = new ScheduledThreadPoolExecutor(1, LockThreads.daemons("lock-warnings"));
		long period = Math.max(SHORTEST_PERIOD_MILLIS, Math.min(shortest.toMillis() / 4, LONGEST_PERIOD_MILLIS));
		started.scheduleWithFixedDelay(this::look, period, period, TimeUnit.MILLISECONDS);
		this.timer = started;
	}

	private void look() {
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
			// Otherwise it would be the last look.
			logger.error("Looking for slow locks failed", ex);
		}
	}

	private void warnOfHolds(List<Held> held, Duration threshold) {
		Map<Holding, Duration> lasting = new HashMap<>();
		Map<Holding, Held> locks = new HashMap<>();
		for (Held lock : held) {
			Holding holding = new Holding(lock.name(), lock.owner(), lock.since());
			lasting.put(holding, since(lock.since()));
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
		requests.forEach((name, all) -> lasting.put(name, since(first(all).since())));
		this.waits.due(lasting, threshold).forEach((name, time) -> {
			List<Waiting> all = requests.getOrDefault(name, List.of());
			Waiting first = first(all);
			String warning = String.format(Locale.ROOT,
					"Lock '%s'%s (%s) has been waited for by %s for %s: longer than distributed-lock.warn.wait-time (%s); %d requests wait",
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
		return requests.stream().min(Comparator.comparing(Waiting::since)).orElseThrow();
	}

	private static String holders(@Nullable LockSnapshot seen, @Nullable Throwable failure) {
		if (seen == null) {
			return "; who holds it cannot be told: " + ((failure != null) ? failure.getMessage() : "no answer");
		}
		if (seen.holders().isEmpty()) {
			return "; nobody holds it now";
		}
		return seen.holders().stream().map((lock) -> "; " + lock.holder()).collect(Collectors.joining());
	}

	private String stack(LockOwner owner) {
		Thread thread = owner.thread();
		if (!this.thresholds.stackTrace() || thread == null) {
			return "";
		}
		return "\n\tHeld by thread %s".formatted(OneLine.of(thread.getName())) + Arrays.stream(thread.getStackTrace())
			.map((frame) -> "\n\t\tat " + frame)
			.collect(Collectors.joining());
	}

	private static Duration since(Instant begin) {
		return Duration.between(begin, Instant.now());
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
	 * What is long.
	 *
	 * @param waitTime how long a request may wait, or {@code null} if that does not
	 * matter
	 * @param holdTime how long a lock may be held, or {@code null} if that does not
	 * matter
	 * @param stackTrace whether to show what the thread that holds a lock is doing
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
	 * One hold among those that its owner may have one after another.
	 */
	private record Holding(String name, LockOwner owner, Instant since) {
	}

	/**
	 * When to warn next of what lasts.
	 *
	 * @param <K> what lasts
	 */
	private static final class Alarms<K> {

		private final Map<K, Duration> next = new HashMap<>();

		/** Those that have come to their next warning, longest first, not too many. */
		Map<K, Duration> due(Map<K, Duration> lasting, Duration threshold) {
			this.next.keySet().retainAll(lasting.keySet());
			Map<K, Duration> due = new LinkedHashMap<>();
			lasting.entrySet()
				.stream()
				.filter((entry) -> entry.getValue().compareTo(this.next.getOrDefault(entry.getKey(), threshold)) >= 0)
				.sorted(Map.Entry.<K, Duration>comparingByValue().reversed())
				.limit(MOST_AT_ONCE)
				.forEachOrdered((entry) -> due.put(entry.getKey(), entry.getValue()));
			due.forEach((key, time) -> this.next.put(key, time.multipliedBy(2)));
			return due;
		}

	}

}
