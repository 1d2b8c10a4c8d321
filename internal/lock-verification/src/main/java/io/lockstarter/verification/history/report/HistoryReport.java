package io.lockstarter.verification.history.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.lockstarter.verification.history.checker.Figures;
import io.lockstarter.verification.history.nemesis.FaultClass;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/**
 * Report of a run on one page.
 */
public final class HistoryReport {

	/** Limit on pictures in a report: 30. */
	private static final int MAX_PICTURES = 30;

	private static final List<Extension> EXTENSIONS = List.of(TablesExtension.create());

	private static final String PAGE = """
			<!DOCTYPE html>
			<html lang="en">
			<head>
			<meta charset="utf-8">
			<title>History under faults</title>
			<style>
			body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; }
			table { border-collapse: collapse; margin: 1em 0; }
			th, td { border: 1px solid #ccc; padding: .2em .6em; }
			th { background: #f3f3f3; }
			</style>
			</head>
			<body>
			%s</body>
			</html>
			""";

	private final long seed;

	private final String command;

	private final Figures figures = new Figures();

	private final Map<FaultClass, Integer> faults = new EnumMap<>(FaultClass.class);

	private final List<RoundResult> rounds = new ArrayList<>();

	/**
	 * Creates a report without rounds.
	 * @param seed the seed of all random choices
	 * @param command the command that repeats the run
	 */
	public HistoryReport(long seed, String command) {
		this.seed = seed;
		this.command = command;
	}

	/**
	 * Adds a round.
	 * @param round the result of the round
	 */
	public void add(RoundResult round) {
		this.rounds.add(round);
		this.figures.add(round.figures());
		round.faults().forEach((fault, count) -> this.faults.merge(fault, count, Integer::sum));
	}

	/**
	 * Returns the sums over all rounds.
	 * @return the figures
	 */
	public Figures figures() {
		return this.figures;
	}

	/**
	 * Returns the number of times each fault was injected in all rounds.
	 * @return the numbers
	 */
	public Map<FaultClass, Integer> faults() {
		return this.faults;
	}

	/**
	 * Returns the first violations of all rounds.
	 * @return their texts
	 */
	public List<String> violations() {
		return this.rounds.stream()
			.flatMap((round) -> round.exhibits()
				.stream()
				.map((exhibit) -> String.format(Locale.ROOT, "round %d: %s: %s", round.number(), exhibit.kind(),
						exhibit.text())))
			.toList();
	}

	/**
	 * Writes the report as Markdown and as an HTML page.
	 * @param folder the target folder
	 * @return the Markdown text @throws IOException if a file cannot be written
	 */
	public String write(Path folder) throws IOException {
		Files.createDirectories(folder);
		String text = text();
		Files.writeString(folder.resolve("history.md"), text);
		String body = HtmlRenderer.builder()
			.extensions(EXTENSIONS)
			.build()
			.render(Parser.builder().extensions(EXTENSIONS).build().parse(text + pictures()));
		Files.writeString(folder.resolve("history.html"), PAGE.formatted(body));
		return text;
	}

	/**
	 * Returns the report as Markdown.
	 * @return the text
	 */
	public String text() {
		StringBuilder text = new StringBuilder("# History under faults\n\n");
		Duration taken = this.rounds.stream().map(RoundResult::taken).reduce(Duration.ZERO, Duration::plus);
		text.append(String.format(Locale.ROOT, "Seed %d; %d rounds in %d min %d s. To repeat: `%s`%n%n", this.seed,
				this.rounds.size(), taken.toMinutes(), taken.toSecondsPart(), this.command));
		text.append("| figure | |\n| --- | ---: |\n");
		this.figures.lines().forEach((name, value) -> text.append("| %s | %s |%n".formatted(name, value)));
		text.append(String.format(Locale.ROOT, "%n%d classes of faults, %d faults:%n%n", this.faults.size(),
				this.faults.values().stream().mapToInt(Integer::intValue).sum()));
		text.append("| fault | struck |\n| --- | ---: |\n");
		this.faults.forEach((fault, count) -> text.append(String.format(Locale.ROOT, "| %s | %d |%n", fault, count)));
		text.append("\n| round | claim | holds | faults | violations |\n| --- | --- | ---: | ---: | ---: |\n");
		this.rounds.forEach((round) -> text.append(String.format(Locale.ROOT, "| %d: %s | %s | %,d | %d | %d |%n",
				round.number(), round.scenario(), round.scenario().topology().claim(), round.figures().holds(),
				round.faults().values().stream().mapToInt(Integer::intValue).sum(), round.figures().violations())));
		if (this.figures.violations() > 0) {
			text.append("\n## Violations\n\n");
			violations().forEach((violation) -> text.append("- %s%n".formatted(violation)));
		}
		return text.toString();
	}

	private String pictures() {
		StringBuilder pictures = new StringBuilder();
		this.rounds.stream()
			.flatMap((round) -> round.exhibits().stream())
			.filter((exhibit) -> !exhibit.picture().isEmpty())
			.limit(MAX_PICTURES)
			.forEach((exhibit) -> pictures
				.append("%n%s: %s%n%n<div>%s</div>%n".formatted(exhibit.kind(), exhibit.text(), exhibit.picture())));
		return pictures.toString();
	}

}
