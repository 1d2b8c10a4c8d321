package io.lockstarter.benchmarks.report;

import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * Statistics of figures.
 */
public final class Statistics {

	private Statistics() {
	}

	/**
	 * Returns the median.
	 * @param values the values
	 * @return the median, not a number if there are no values
	 */
	public static double median(Collection<Double> values) {
		if (values.isEmpty()) {
			return Double.NaN;
		}
		double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
		int middle = sorted.length / 2;
		return (sorted.length % 2 == 1) ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
	}

	/**
	 * Returns the value that the given part of all values does not exceed.
	 * @param values the values
	 * @param part the part, from 0 to 1
	 * @return one of the values, not a number if there are none
	 */
	public static double percentile(Collection<Double> values, double part) {
		if (values.isEmpty()) {
			return Double.NaN;
		}
		double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
		return sorted[Math.max(0, (int) Math.ceil(part * sorted.length) - 1)];
	}

	/**
	 * Returns the median of each figure.
	 * @param rounds the figures of each round
	 * @return the medians
	 */
	public static Map<Metric, Double> medians(List<Map<Metric, Double>> rounds) {
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

	/**
	 * Returns the smallest share.
	 * @param shares all shares
	 * @return the smallest as part of the mean
	 */
	public static double leastShare(long[] shares) {
		return Arrays.stream(shares).min().orElse(0) / mean(shares);
	}

	/**
	 * Returns the greatest share.
	 * @param shares all shares
	 * @return the greatest as part of the mean
	 */
	public static double greatestShare(long[] shares) {
		return Arrays.stream(shares).max().orElse(0) / mean(shares);
	}

	private static double mean(long[] shares) {
		return LongStream.of(shares).average().orElse(Double.NaN);
	}

}
