package io.lockstarter.docs;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.testing.Checkout;
import io.lockstarter.testing.MarkdownTable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever is logged as a warning or an error, and every reason for which a backend
 * fails, is explained in docs/generated/messages.md, which explains no other.
 */
class LogMessagesTests {

	private static final Path FILE = Checkout.file("docs", "generated", "messages.md");

	@Test
	void areExplained() {
		Map<String, String> explained = new TreeMap<>();
		MarkdownTable.below("## Warnings in the log", FILE)
			.rows()
			.forEach((message, cells) -> explained.put(message.replace("`", ""), cells.get(0)));
		assertThat(explained).containsExactlyInAnyOrderEntriesOf(LogMessages.ofMainSources());
	}

	@Test
	void reasonsAreExplained() {
		assertThat(MarkdownTable.below("## Reasons of `LockBackendException`", FILE).rows().keySet())
			.containsExactlyElementsOf(Arrays.stream(Reason.values()).map((reason) -> "`" + reason + "`").toList());
	}

}
