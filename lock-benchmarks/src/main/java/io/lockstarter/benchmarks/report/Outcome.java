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

	Optional<Row> row(ContenderType contender) {
		return row(contender.title());
	}

	Optional<Row> row(String label) {
		return this.rows.stream().filter((row) -> row.label().equals(label)).findFirst();
	}

}
