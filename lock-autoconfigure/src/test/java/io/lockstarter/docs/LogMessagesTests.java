package io.lockstarter.docs;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

import io.lockstarter.testing.MarkdownTable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever is logged as a warning or an error is explained in docs/operations.md, which
 * explains nothing else.
 */
class LogMessagesTests {

	private static final Path PAGE = Path.of("..", "docs", "operations.md");

	@Test
	void areExplained() {
		Map<String, String> explained = new TreeMap<>();
		MarkdownTable.below("## Warnings in the log", PAGE)
			.rows()
			.forEach((message, cells) -> explained.put(message.replace("`", ""), cells.get(0)));
		assertThat(explained).containsExactlyInAnyOrderEntriesOf(LogMessages.ofMainSources());
	}

}
