package io.lockstarter.benchmarks.report;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

import io.lockstarter.benchmarks.contender.ContenderType;

/**
 * Outcome of one scenario.
 *
 * @param scenario the name of the scenario in options
 * @param title the name of the scenario in the report
 * @param description the method of the measurement
 * @param metrics the metrics
 * @param rows the figures, one row for each contender
 */
public record Outcome(String scenario, String title, String description, List<Metric> metrics, List<Row> rows) {

	/** Label of an application that has Spring Data Redis, but no locks. */
	public static final String WITHOUT_LOCKS = "data-redis alone";

	/**
	 * Returns the outcome of a scenario without contenders.
	 * @param scenario the name of the scenario in options
	 * @param title the name of the scenario in the report
	 * @param metrics the metrics of the scenario
	 * @return an outcome without rows
	 */
	public static Outcome notRun(String scenario, String title, List<Metric> metrics) {
		return new Outcome(scenario, title, "Not part of this run.", metrics, List.of());
	}

	/**
	 * Returns this outcome with a remark about processor time that the host of a virtual
	 * machine took away.
	 * @param stolen the stolen share of the time of all processors
	 * @return the outcome, unchanged if the share is less than a hundredth
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
