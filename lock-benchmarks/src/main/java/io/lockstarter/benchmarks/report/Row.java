package io.lockstarter.benchmarks.report;

import java.util.List;
import java.util.Map;

import io.lockstarter.benchmarks.contender.ContenderType;

/**
 * What was measured of one contender.
 *
 * @param contender which one
 * @param figures the medians over the rounds
 * @param rounds the figures of each round
 * @param remarks what a reader has to know of them
 */
public record Row(ContenderType contender, Map<Metric, Double> figures, List<Map<Metric, Double>> rounds,
		List<String> remarks) {

	/**
	 * Return a figure.
	 * @param metric which one
	 * @return the median, not a number if there is none
	 */
	public double figure(Metric metric) {
		return this.figures.getOrDefault(metric, Double.NaN);
	}

}
