package io.lockstarter.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ToolReport}.
 */
class ToolReportTests {

	private static final Instant START = Instant.parse("2026-01-01T10:00:00Z");

	@TempDir
	private Path root;

	@Test
	void tellsEachMissingToolOfAllModulesOnce() throws Exception {
		report("one", "First", START, "needs TLS: it is not here", "needs a browser: there is none");
		report("one", "Second", START, "needs TLS: it is not here");
		report("extras/two", "Third", START.plusSeconds(1), "needs TLS: it is not here", "another reason");
		assertThat(ToolReport.lines(this.root, START)).containsExactly("Not run: 3 tests that need TLS: it is not here",
				"Not run: 1 test that needs a browser: there is none");
	}

	@Test
	void ignoresReportsOfEarlierBuilds() throws Exception {
		report("one", "Earlier", START.minusSeconds(1), "needs TLS: it is not here");
		report("one", "Now", START);
		assertThat(ToolReport.lines(this.root, START)).containsExactly("No test was skipped for lack of a tool.");
	}

	@Test
	void tellsNothingOfABuildWithoutTests() throws Exception {
		Files.createDirectories(this.root.resolve("one/target"));
		assertThat(ToolReport.lines(this.root, START)).isEmpty();
	}

	private void report(String module, String test, Instant time, String... reasons) throws IOException {
		Path folder = Files.createDirectories(this.root.resolve(module).resolve("target/surefire-reports"));
		StringBuilder text = new StringBuilder("<testsuite name=\"%s\">".formatted(test));
		for (String reason : reasons) {
			text.append("<testcase name=\"a\"><skipped message=\"%s\"/></testcase>".formatted(reason));
		}
		Path file = folder.resolve("TEST-%s.xml".formatted(test));
		Files.writeString(file, text.append("</testsuite>"));
		Files.setLastModifiedTime(file, FileTime.from(time));
	}

}
