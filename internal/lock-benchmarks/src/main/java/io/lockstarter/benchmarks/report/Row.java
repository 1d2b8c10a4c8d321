package io.lockstarter.benchmarks.report;

import java.util.List;
import java.util.Map;

import io.lockstarter.benchmarks.contender.ContenderType;

/**
 * Figures of one contender.
 *
 * @param label the name of the contender in the report
 * @param figures the medians over the rounds
 * @param rounds the figures of each round
 * @param commands the commands for one hold, empty if they were not counted
 * @param remarks remarks for the reader of the figures
 */
public record Row(String label, Map<Metric, Double> figures, List<Map<Metric, Double>> rounds, String commands,
		List<String> remarks) {

	/**
	 * Creates a row from the figures of each round.
	 * @param contender the contender
	 * @param rounds the figures of each round
	 * @param remarks remarks for the reader of the figures
	 * @return the row with the medians
	 */
	public static Row of(ContenderType contender, List<Map<Metric, Double>> rounds, List<String> remarks) {
		return new Row(contender.title(), Statistics.medians(rounds), rounds, "", remarks);
	}

	/**
	 * Returns a figure.
	 * @param metric the metric
	 * @return the median, not a number if there is none
	 */
	public double figure(Metric metric) {
		return this.figures.getOrDefault(metric, Double.NaN);
	}

}
