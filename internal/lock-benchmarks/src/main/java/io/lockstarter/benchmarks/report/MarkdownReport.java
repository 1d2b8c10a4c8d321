package io.lockstarter.benchmarks.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import io.lockstarter.benchmarks.contender.ContenderType;

/**
 * Conversion of a report to Markdown.
 */
final class MarkdownReport {

	/** Contenders with which others are compared. */
	private static final List<ContenderType> BASES = List.of(ContenderType.RAW, ContenderType.REDISSON,
			ContenderType.REDISSON_SEMAPHORE, ContenderType.REDISSON_PERMITS);

	private final StringBuilder text = new StringBuilder();

	static String of(Report report) {
		MarkdownReport writer = new MarkdownReport();
		writer.paragraph("# Benchmarks (%s form)".formatted(report.form().toLowerCase(Locale.ROOT)));
		writer.paragraph(String.join("\n", report.machine().describe()));
		report.outcomes().forEach(writer::section);
		writer.targets(report.targets());
		return writer.text.toString();
	}

	private void section(Outcome outcome) {
		paragraph("## %s (`%s`)".formatted(outcome.title(), outcome.scenario()));
		paragraph(outcome.description());
		if (outcome.rows().isEmpty()) {
			return;
		}
		figures(outcome);
		ratios(outcome);
		commands(outcome);
		remarks(outcome);
		Charts.drawn(outcome)
			.forEach((metric) -> paragraph("![%s](%s)".formatted(metric.title(), Charts.file(outcome, metric))));
	}

	private void targets(List<Target> targets) {
		if (targets.isEmpty()) {
			return;
		}
		paragraph("## Targets");
		line(cells("target", List.of("measured", "")));
		line(cells("---", List.of("---:", "---")));
		targets.forEach((target) -> line(
				cells(target.demand(), List.of(Numbers.format(target.measured(), 3), target.state().text()))));
		line("");
	}

	private void figures(Outcome outcome) {
		table(outcome.metrics().stream().map(Metric::title).toList(), outcome.rows(),
				(row) -> outcome.metrics().stream().map((metric) -> metric.format(row.figure(metric))).toList());
	}

	private void ratios(Outcome outcome) {
		List<Metric> metrics = outcome.metrics().stream().filter(Metric::comparable).toList();
		List<Row> bases = BASES.stream().flatMap((base) -> outcome.row(base).stream()).toList();
		if (bases.isEmpty()) {
			return;
		}
		paragraph(bases.stream()
			.map((base) -> "times " + base.label())
			.collect(Collectors.joining(" | ", "Ratios: ", "")));
		table(metrics.stream().map(Metric::title).toList(), outcome.rows(),
				(row) -> metrics.stream().map((metric) -> ratio(bases, row, metric)).toList());
	}

	private static String ratio(List<Row> bases, Row row, Metric metric) {
		return bases.stream()
			.map((base) -> Numbers.ratio(row.figure(metric), base.figure(metric)))
			.collect(Collectors.joining(" \\| "));
	}

	private void commands(Outcome outcome) {
		String commands = outcome.rows()
			.stream()
			.filter((row) -> !row.commands().isEmpty())
			.map((row) -> "- %s %s%n".formatted(row.label(), row.commands()))
			.collect(Collectors.joining());
		if (!commands.isEmpty()) {
			paragraph("Commands of one cycle, counted by MONITOR in a separate round:");
			paragraph(commands.stripTrailing());
		}
	}

	private void remarks(Outcome outcome) {
		String remarks = outcome.rows()
			.stream()
			.flatMap((row) -> row.remarks().stream().map((remark) -> "- %s: %s%n".formatted(row.label(), remark)))
			.collect(Collectors.joining());
		if (!remarks.isEmpty()) {
			paragraph("Remarks:");
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
	 * Cells of a row.
	 */
	private interface Cells {

		List<String> of(Row row);

	}

}
