package io.lockstarter.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Writes the report's files.
 */
public final class ReportFiles {

	private final Path folder;

	/**
	 * Write to a folder.
	 * @param folder the folder, which is created if there is none
	 */
	public ReportFiles(Path folder) {
		this.folder = folder;
	}

	/**
	 * Write what was measured.
	 * @param outcomes the outcomes
	 * @return the report as text
	 * @throws IOException if that fails
	 */
	public String write(List<Outcome> outcomes) throws IOException {
		Files.createDirectories(this.folder);
		String markdown = MarkdownReport.of(outcomes);
		Files.writeString(this.folder.resolve("benchmark.md"), markdown);
		return markdown;
	}

}
