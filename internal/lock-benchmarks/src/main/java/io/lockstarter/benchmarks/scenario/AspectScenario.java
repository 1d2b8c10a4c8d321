package io.lockstarter.benchmarks.scenario;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.lockstarter.benchmarks.Options;
import io.lockstarter.benchmarks.aspect.AspectBenchmark;
import io.lockstarter.benchmarks.report.Metric;
import io.lockstarter.benchmarks.report.Outcome;
import io.lockstarter.benchmarks.report.Row;
import io.lockstarter.benchmarks.report.Statistics;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Scenario that measures annotated methods by JMH.
 */
record AspectScenario() implements Scenario {

	private static final List<String> METHODS = List.of("plain", "programmatic", "annotated");

	private static final int WARM_UPS = 20;

	private static final int MEASUREMENTS = 10;

	private static final TimeValue TIME = TimeValue.milliseconds(200);

	@Override
	public String id() {
		return "aspect";
	}

	@Override
	public Outcome run(Options options) {
		int forks = options.form().pick(1, options.rounds());
		Map<String, List<Map<Metric, Double>>> rounds = new LinkedHashMap<>();
		for (int i = 0; i < forks; i++) {
			fork().forEach((name, nanos) -> rounds.computeIfAbsent(name, (key) -> new ArrayList<>())
				.add(new EnumMap<>(Map.of(Metric.CALL, nanos))));
		}
		return new Outcome(id(), "Annotated method", String.format(Locale.ROOT,
				"JMH, one thread, locks in memory; medians of %d forks in turns, each the median of %d × %s after %d of warm-up",
				forks, MEASUREMENTS, TIME, WARM_UPS), List.of(Metric.CALL),
				METHODS.stream().map((method) -> row(method, rounds.getOrDefault(method, List.of()))).toList());
	}

	private static Row row(String method, List<Map<Metric, Double>> rounds) {
		return new Row(method, Statistics.medians(rounds), rounds, "", List.of());
	}

	/** Runs each benchmark in its own JVM, and returns nanoseconds by name. */
	private static Map<String, Double> fork() {
		var jmh = new OptionsBuilder().include(AspectBenchmark.class.getName())
			.forks(1)
			.warmupIterations(WARM_UPS)
			.warmupTime(TIME)
			.measurementIterations(MEASUREMENTS)
			.measurementTime(TIME)
			.shouldFailOnError(true)
			.verbosity(VerboseMode.SILENT)
			.build();
		try {
			Map<String, Double> nanos = new LinkedHashMap<>();
			for (RunResult result : new Runner(jmh).run()) {
				nanos.put(result.getPrimaryResult().getLabel(),
						result.getPrimaryResult().getStatistics().getPercentile(50));
			}
			return nanos;
		}
		catch (RunnerException ex) {
			throw new IllegalStateException("JMH failed", ex);
		}
	}

}
