package io.lockstarter.benchmarks.scenario;

import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

import io.lockstarter.benchmarks.report.Metric;

/**
 * Turns many figures into one.
 */
final class Statistics {

	private Statistics() {
	}

	static double median(Collection<Double> values) {
		if (values.isEmpty()) {
			return Double.NaN;
		}
		double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
		int middle = sorted.length / 2;
		return (sorted.length % 2 == 1) ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
	}

	/** The value that the given part of all values does not exceed. */
	static double percentile(Collection<Double> values, double part) {
		if (values.isEmpty()) {
			return Double.NaN;
		}
		double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
		return sorted[Math.max(0, (int) Math.ceil(part * sorted.length) - 1)];
	}

	static Map<Metric, Double> medians(List<Map<Metric, Double>> rounds) {
		Map<Metric, Double> medians = new EnumMap<>(Metric.class);
		rounds.stream()
			.flatMap((round) -> round.keySet().stream())
			.distinct()
			.forEach((metric) -> medians.put(metric,
					median(rounds.stream()
						.filter((round) -> round.containsKey(metric))
						.map((round) -> round.get(metric))
						.toList())));
		return medians;
	}

	/** The smallest share as part of the mean. */
	static double leastShare(long[] shares) {
		return Arrays.stream(shares).min().orElse(0) / mean(shares);
	}

	/** The greatest share as part of the mean. */
	static double greatestShare(long[] shares) {
		return Arrays.stream(shares).max().orElse(0) / mean(shares);
	}

	private static double mean(long[] shares) {
		return LongStream.of(shares).average().orElse(Double.NaN);
	}

}
