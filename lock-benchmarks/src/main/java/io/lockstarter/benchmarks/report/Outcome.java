package io.lockstarter.benchmarks.report;

import java.util.List;
import java.util.Locale;
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

	/** The label of an application that has Spring Data Redis, but no locks. */
	public static final String ALONE = "data-redis alone";

	/**
	 * Returns the outcome of a scenario in which nobody takes part.
	 * @param scenario its name in options
	 * @param title its name in the report
	 * @param metrics what would have been measured
	 * @return an outcome that says so
	 */
	public static Outcome leftOut(String scenario, String title, List<Metric> metrics) {
		return new Outcome(scenario, title, "Not part of this run.", metrics, List.of());
	}

	/**
	 * Returns this outcome with a word on what the host of a virtual machine took away
	 * while it was measured.
	 * @param stolen the share of all processors' time
	 * @return the outcome, unchanged if it was less than a hundredth
	 */
	public Outcome disturbed(double stolen) {
		if (this.rows.isEmpty() || stolen < 0.01) {
			return this;
		}
		String more = String.format(Locale.ROOT, "%s\n\nMeanwhile the host took %.0f %% of the processors' time away.",
				this.description, 100 * stolen);
		return new Outcome(this.scenario, this.title, more, this.metrics, this.rows);
	}

	Optional<Row> row(ContenderType contender) {
		return row(contender.title());
	}

	Optional<Row> row(String label) {
		return this.rows.stream().filter((row) -> row.label().equals(label)).findFirst();
	}

}
