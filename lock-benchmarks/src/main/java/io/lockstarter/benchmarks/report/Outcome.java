package io.lockstarter.benchmarks.report;

import java.util.List;
import java.util.Optional;

import io.lockstarter.benchmarks.contender.ContenderType;

/**
 * What was measured in one scenario.
 *
 * @param scenario its name in options
 * @param title its name in the report
 * @param description how it was measured
 * @param metrics what was measured
 * @param rows what was found, one row for each contender
 */
public record Outcome(String scenario, String title, String description, List<Metric> metrics, List<Row> rows) {

	/**
	 * Return the outcome of a scenario in which nobody takes part.
	 * @param scenario its name in options
	 * @param title its name in the report
	 * @param metrics what would have been measured
	 * @return an outcome that says so
	 */
	public static Outcome leftOut(String scenario, String title, List<Metric> metrics) {
		return new Outcome(scenario, title, "Not part of this run.", metrics, List.of());
	}

	Optional<Row> row(ContenderType contender) {
		return row(contender.title());
	}

	Optional<Row> row(String label) {
		return this.rows.stream().filter((row) -> row.label().equals(label)).findFirst();
	}

}
