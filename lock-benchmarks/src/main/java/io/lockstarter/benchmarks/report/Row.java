package io.lockstarter.benchmarks.report;

import java.util.List;
import java.util.Map;

import io.lockstarter.benchmarks.contender.ContenderType;

/**
 * What was measured of one contender.
 *
 * @param label its name in the report
 * @param figures the medians over the rounds
 * @param rounds the figures of each round
 * @param commands which commands were sent for one hold, empty if that was not counted
 * @param remarks what a reader has to know of them
 */
public record Row(String label, Map<Metric, Double> figures, List<Map<Metric, Double>> rounds, String commands,
		List<String> remarks) {

	/**
	 * Makes a row of figures that are known for each round.
	 * @param contender which contender
	 * @param rounds the figures of each round
	 * @param remarks what a reader has to know of them
	 * @return the row with the medians
	 */
	public static Row of(ContenderType contender, List<Map<Metric, Double>> rounds, List<String> remarks) {
		return new Row(contender.title(), Statistics.medians(rounds), rounds, "", remarks);
	}

	/**
	 * Returns a figure.
	 * @param metric which one
	 * @return the median, not a number if there is none
	 */
	public double figure(Metric metric) {
		return this.figures.getOrDefault(metric, Double.NaN);
	}

}
