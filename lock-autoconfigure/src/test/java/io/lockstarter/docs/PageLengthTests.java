package io.lockstarter.docs;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * No page is longer than people read. Generated pages do not count.
 */
class PageLengthTests {

	static Stream<Limit> limits() {
		return Stream.of(limit(1_300, "README.md"), limit(1_800, "docs/guide.md"), limit(800, "docs/guarantees.md"),
				limit(2_800, "docs/reference.md"),
				limit(2_400, "docs/operations.md", "docs/topologies.md", "docs/managed-services.md"),
				limit(1_100, "docs/migration.md"), limit(900, "docs/design-decisions.md"),
				limit(600, "docs/performance.md"), limit(300, "docs/sample-application.md"));
	}

	@ParameterizedTest
	@MethodSource("limits")
	void staysWithinItsLimit(Limit limit) {
		int words = limit.pages().stream().mapToInt(PageLengthTests::words).sum();
		assertThat(words).as("words of %s, as wc -w counts them", limit.pages()).isBetween(1, limit.words());
	}

	private static int words(String page) {
		return (int) Arrays.stream(Page.of(page).text().split("\\s+")).filter((word) -> !word.isEmpty()).count();
	}

	private static Limit limit(int words, String... pages) {
		return new Limit(words, List.of(pages));
	}

	/**
	 * How many words some pages may have together.
	 */
	record Limit(int words, List<String> pages) {
	}

}
