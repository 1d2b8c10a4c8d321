package io.lockstarter.benchmarks.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.benchmarks.contender.ContenderType;

/**
 * Writes what was measured as Markdown.
 */
final class MarkdownReport {

	private final StringBuilder text = new StringBuilder();

	static String of(List<Outcome> outcomes) {
		MarkdownReport report = new MarkdownReport();
		report.paragraph("# Benchmarks");
		outcomes.forEach(report::section);
		return report.text.toString();
	}

	private void section(Outcome outcome) {
		paragraph("## %s (`%s`)".formatted(outcome.title(), outcome.scenario()));
		paragraph(outcome.description());
		if (outcome.rows().isEmpty()) {
			return;
		}
		figures(outcome);
		ratios(outcome);
		remarks(outcome);
	}

	private void figures(Outcome outcome) {
		table(outcome.metrics().stream().map(Metric::title).toList(), outcome.rows(),
				(row) -> outcome.metrics().stream().map((metric) -> metric.format(row.figure(metric))).toList());
	}

	private void ratios(Outcome outcome) {
		List<Metric> metrics = outcome.metrics().stream().filter(Metric::comparable).toList();
		boolean toRaw = outcome.row(ContenderType.RAW).isPresent();
		boolean toRedisson = outcome.row(ContenderType.REDISSON).isPresent();
		if (!toRaw && !toRedisson) {
			return;
		}
		paragraph(Stream.of(toRaw ? "times raw Lettuce" : "", toRedisson ? "times Redisson, renewed" : "")
			.filter((part) -> !part.isEmpty())
			.collect(Collectors.joining(" | ", "Ratios: ", "")));
		table(metrics.stream().map(Metric::title).toList(), outcome.rows(),
				(row) -> metrics.stream().map((metric) -> ratio(outcome, row, metric)).toList());
	}

	private static String ratio(Outcome outcome, Row row, Metric metric) {
		return Stream.of(ContenderType.RAW, ContenderType.REDISSON)
			.flatMap((base) -> outcome.row(base).stream())
			.map((base) -> Numbers.ratio(row.figure(metric), base.figure(metric)))
			.collect(Collectors.joining(" \\| "));
	}

	private void remarks(Outcome outcome) {
		String remarks = outcome.rows()
			.stream()
			.flatMap((row) -> row.remarks().stream().map((remark) -> "- %s: %s%n".formatted(row.label(), remark)))
			.collect(Collectors.joining());
		if (!remarks.isEmpty()) {
			paragraph(remarks.stripTrailing());
		}
	}

	private void table(List<String> headings, List<Row> rows, Cells cells) {
		line(cells("contender", headings));
		line(cells("---", Collections.nCopies(headings.size(), "---:")));
		rows.forEach((row) -> line(cells(row.label(), cells.of(row))));
		line("");
	}

	private static String cells(String first, List<String> others) {
		List<String> all = new ArrayList<>(List.of(first));
		all.addAll(others);
		return all.stream().collect(Collectors.joining(" | ", "| ", " |"));
	}

	private void paragraph(String paragraph) {
		line(paragraph);
		line("");
	}

	private void line(String line) {
		this.text.append(line).append('\n');
	}

	/**
	 * Makes the cells of a row.
	 */
	private interface Cells {

		List<String> of(Row row);

	}

}
