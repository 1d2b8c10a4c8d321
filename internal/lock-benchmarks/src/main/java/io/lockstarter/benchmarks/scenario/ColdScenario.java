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
 * Scenario of the first locks of a new JVM, each with another name, by one thread.
 *
 * @param locks the number of locks
 * @param shortField the contenders in the short form
 * @param fullField the contenders in the full form
 */
record ColdScenario(int locks, List<ContenderType> shortField, List<ContenderType> fullField) implements Scenario {

	private static final List<Metric> METRICS = List.of(Metric.FIRST_LOCKS, Metric.FIRST_LOCKS_CPU);

	private static final double NANOS_PER_SECOND = 1e9;

	@Override
	public String id() {
		return "cold";
	}

	@Override
	public Outcome run(Options options) {
		List<ContenderType> field = options.choose(options.form().pick(this.shortField, this.fullField),
				this.fullField);
		if (field.isEmpty()) {
			return Outcome.notRun(id(), title(), METRICS);
		}
		Map<ContenderType, List<Map<Metric, Double>>> rounds = new HashMap<>();
		for (int i = 0; i < options.rounds(); i++) {
			field.forEach((contender) -> rounds.computeIfAbsent(contender, (key) -> new ArrayList<>())
				.add(round(contender, options)));
		}
		return new Outcome(id(), title(),
				String.format(Locale.ROOT,
						"One thread; medians of %d JVMs in turns, each with its client connected but nothing locked",
						options.rounds()),
				METRICS,
				field.stream()
					.map((contender) -> Row.of(contender, rounds.getOrDefault(contender, List.of()), List.of()))
					.toList());
	}

	private String title() {
		return String.format(Locale.ROOT, "The first %,d locks of a JVM", this.locks);
	}

	private Map<Metric, Double> round(ContenderType contender, Options options) {
		try (Entry entry = Entry.start(contender, options.roundTrip(), (setup) -> setup)) {
			Usage start = usage(entry);
			entry.worker().request(Request.VISIT, new Visit("cold-", this.locks, 1), Integer.class);
			Usage end = usage(entry);
			return Map.of(Metric.FIRST_LOCKS, (end.nanoTime() - start.nanoTime()) / NANOS_PER_SECOND,
					Metric.FIRST_LOCKS_CPU, (end.cpuNanos() - start.cpuNanos()) / NANOS_PER_SECOND);
		}
	}

	private static Usage usage(Entry entry) {
		return entry.worker().request(Request.USAGE, "", Usage.class);
	}

}
