package io.lockstarter.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import tools.jackson.databind.json.JsonMapper;

/**
 * Files of a report: Markdown, HTML, charts, and all figures as JSON.
 */
public final class ReportFiles {

	private final Path folder;

	/**
	 * Creates a writer to a folder.
	 * @param folder the folder, which is created if it does not exist
	 */
	public ReportFiles(Path folder) {
		this.folder = folder;
	}

	/**
	 * Writes a report.
	 * @param report the report
	 * @return the report as text
	 * @throws IOException if a file cannot be written
	 */
	public String write(Report report) throws IOException {
		Files.createDirectories(this.folder);
		String markdown = MarkdownReport.of(report);
		Files.writeString(this.folder.resolve("benchmark.md"), markdown);
		Files.writeString(this.folder.resolve("benchmark.html"), HtmlReport.of(markdown));
		JsonMapper.shared()
			.writerWithDefaultPrettyPrinter()
			.writeValue(this.folder.resolve("benchmark.json").toFile(), report);
		Charts.write(report.outcomes(), this.folder);
		return markdown;
	}

}
