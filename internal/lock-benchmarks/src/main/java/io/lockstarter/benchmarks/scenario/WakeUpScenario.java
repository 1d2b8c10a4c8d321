package io.lockstarter.benchmarks.scenario;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.lockstarter.benchmarks.Options;
import io.lockstarter.benchmarks.contender.ContenderType;
import io.lockstarter.benchmarks.report.Metric;
import io.lockstarter.benchmarks.report.Outcome;
import io.lockstarter.benchmarks.report.Row;
import io.lockstarter.benchmarks.report.Statistics;
import io.lockstarter.benchmarks.worker.Worker.Request;

/**
 * Scenario that measures the time from a release in one JVM until a waiter in another one
 * returns.
 *
 * @param fleet the fleet of contenders with at least two JVMs each
 * @param shortField the contenders in the short form
 * @param fullField the contenders in the full form
 */
record WakeUpScenario(Fleet fleet, List<ContenderType> shortField, List<ContenderType> fullField) implements Scenario {

	private static final String LOCK = "wake-up";

	private static final int SHORTEST_HOLD_MILLIS = 5;

	/** Hold time in the warm-up, 1 ms, long enough for the other JVM to begin waiting. */
	private static final int WARM_UP_HOLD_MILLIS = 1;

	/** Load of the warm-up, in which every cycle wakes another JVM. */
	private static final Load WARM_UP = Load.hotLock(4, 1);

	private static final Duration WARM_UP_ROUND = Duration.ofSeconds(1);

	@Override
	public String id() {
		return "wake-up";
	}

	@Override
	public Outcome run(Options options) {
		// The longer span covers the pauses of contenders that retry every 100 ms
		int longestHold = SHORTEST_HOLD_MILLIS + options.form().pick(20, 100);
		int count = options.form().pick(20, 100);
		Map<Entry, List<Double>> samples = new HashMap<>();
		List<Entry> entries = this.fleet.muster(
				options.choose(options.form().pick(this.shortField, this.fullField), this.fullField), WARM_UP.jvms(),
				Jdks.current());
		entries.forEach(Entry::awaitReady);
		int warmUps = options.form().pick(1, 4);
		entries.forEach((entry) -> warmUp(entry, options.warmUp(), warmUps));
		for (int i = 0; i < options.rounds(); i++) {
			entries.forEach((entry) -> samples.computeIfAbsent(entry, (key) -> new ArrayList<>())
				.addAll(round(entry, count, longestHold)));
		}
		return outcome(options, count, longestHold, entries, samples);
	}

	private Outcome outcome(Options options, int count, int longestHold, List<Entry> entries,
			Map<Entry, List<Double>> samples) {
		String description = String.format(Locale.ROOT,
				"Two JVMs; one holds the lock for %d to %d ms while the other one waits. From just before the"
						+ " release until the waiter returns, over all %d samples of %d rounds in turns",
				SHORTEST_HOLD_MILLIS, longestHold, count * options.rounds(), options.rounds());
		return new Outcome(id(), "Wake-up between two JVMs", description,
				List.of(Metric.WAKE_UP_P50, Metric.WAKE_UP_P99),
				entries.stream().map((entry) -> row(entry, samples.getOrDefault(entry, List.of()))).toList());
	}

	private static Row row(Entry entry, List<Double> samples) {
		return Row.of(entry.contender(), List.of(Map.of(Metric.WAKE_UP_P50, Statistics.percentile(samples, 0.5),
				Metric.WAKE_UP_P99, Statistics.percentile(samples, 0.99))), List.of());
	}

	/**
	 * Warms up with a busy lock and with wake-ups. A busy lock alone does not execute all
	 * code of a wake-up, and the measured wake-ups are too few: compilers would run
	 * during the measurement.
	 */
	private static void warmUp(Entry entry, Duration time, int times) {
		new Participant(entry, WARM_UP, WARM_UP_ROUND, Duration.ZERO).warmUp(time);
		long start = System.nanoTime();
		for (int i = 0; System.nanoTime() - start < time.multipliedBy(times).toNanos(); i++) {
			sample(entry, i, WARM_UP_HOLD_MILLIS, 2 * WARM_UP_HOLD_MILLIS);
		}
	}

	private static List<Double> round(Entry entry, int count, int longestHold) {
		List<Double> micros = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			micros.add(sample(entry, i, SHORTEST_HOLD_MILLIS, longestHold));
		}
		return micros;
	}

	private static double sample(Entry entry, int turn, int shortestHold, int longestHold) {
		WorkerProcess holder = entry.workers().get(turn % 2);
		WorkerProcess waiter = entry.workers().get((turn + 1) % 2);
		holder.request(Request.LOCK, LOCK, Long.class);
		waiter.send(Request.LOCK, LOCK);
		Pause.of(Duration.ofNanos(ThreadLocalRandom.current()
			.nextLong(TimeUnit.MILLISECONDS.toNanos(shortestHold), TimeUnit.MILLISECONDS.toNanos(longestHold))));
		long released = holder.request(Request.UNLOCK, LOCK, Long.class);
		long locked = waiter.awaitReply(Long.class);
		waiter.request(Request.UNLOCK, LOCK, Long.class);
		return (locked - released) / 1e3;
	}

}
