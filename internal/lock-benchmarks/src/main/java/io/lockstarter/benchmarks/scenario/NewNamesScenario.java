package io.lockstarter.benchmarks.scenario;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.lockstarter.benchmarks.Options;
import io.lockstarter.benchmarks.contender.ContenderType;
import io.lockstarter.benchmarks.report.Metric;
import io.lockstarter.benchmarks.report.Outcome;
import io.lockstarter.benchmarks.report.Row;
import io.lockstarter.benchmarks.worker.Usage;
import io.lockstarter.benchmarks.worker.Visit;
import io.lockstarter.benchmarks.worker.Worker.Request;

/**
 * Scenario of locks with new names, such as ids of orders, each acquired and released
 * once.
 *
 * @param id the name in options
 * @param names the number of names in a round
 * @param threads the number of threads
 * @param shortField the contenders in the short form
 * @param fullField the contenders in the full form
 */
record NewNamesScenario(String id, int names, int threads, List<ContenderType> shortField,
		List<ContenderType> fullField) implements Scenario {

	private static final List<Metric> METRICS = List.of(Metric.THROUGHPUT, Metric.CPU, Metric.SCRIPT_TIME,
			Metric.SERVER_CPU, Metric.KEYS_LEFT);

	private static final double NANOS_PER_SECOND = 1e9;

	private static final double NANOS_PER_MICRO = 1e3;

	@Override
	public Outcome run(Options options) {
		List<ContenderType> field = options.choose(options.form().pick(this.shortField, this.fullField),
				this.fullField);
		if (field.isEmpty()) {
			return Outcome.notRun(this.id, title(), METRICS);
		}
		List<Entry> entries = new ArrayList<>();
		Map<Entry, List<Map<Metric, Double>>> rounds = new HashMap<>();
		try {
			field.forEach((contender) -> entries.add(Entry.start(contender, options.roundTrip(), (setup) -> setup)));
			entries.forEach((entry) -> visit(entry, "warm-up-"));
			for (int i = 0; i < options.rounds(); i++) {
				String prefix = "round-" + i + "-";
				entries.forEach(
						(entry) -> rounds.computeIfAbsent(entry, (key) -> new ArrayList<>()).add(round(entry, prefix)));
			}
			return new Outcome(this.id, title(),
					String.format(Locale.ROOT,
							"One JVM × %d thread(s); medians of %d rounds in turns, after one that does not count",
							this.threads, options.rounds()),
					METRICS,
					entries.stream()
						.map((entry) -> Row.of(entry.contender(), rounds.getOrDefault(entry, List.of()), List.of()))
						.toList());
		}
		finally {
			entries.forEach(Entry::close);
		}
	}

	private String title() {
		return String.format(Locale.ROOT, "%,d names used once each", this.names);
	}

	private void visit(Entry entry, String prefix) {
		entry.worker().request(Request.VISIT, new Visit(prefix, this.names, this.threads), Integer.class);
	}

	private Map<Metric, Double> round(Entry entry, String prefix) {
		ServerTime before = entry.serverTime();
		Usage start = usage(entry);
		visit(entry, prefix);
		Usage end = usage(entry);
		ServerTime spent = entry.serverTime().minus(before);
		return Map.of(Metric.THROUGHPUT, this.names * NANOS_PER_SECOND / (end.nanoTime() - start.nanoTime()),
				Metric.CPU, (end.cpuNanos() - start.cpuNanos()) / NANOS_PER_MICRO / this.names, Metric.SCRIPT_TIME,
				spent.scriptMicros() / this.names, Metric.SERVER_CPU, spent.cpuMicros() / this.names, Metric.KEYS_LEFT,
				(double) entry.keys());
	}

	private static Usage usage(Entry entry) {
		return entry.worker().request(Request.USAGE, "", Usage.class);
	}

}
