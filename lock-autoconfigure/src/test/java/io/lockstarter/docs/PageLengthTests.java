package io.lockstarter.docs;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * No page is longer than people read. A page gets its line here once it is within its
 * limit: README 1,300 words, guide 1,800, guarantees 800, operations, topologies and
 * managed services 2,400 together, migration 1,100, design decisions 900, the sample 300.
 * Generated pages do not count.
 */
class PageLengthTests {

	static Stream<Limit> limits() {
		return Stream.of(limit(2_800, "docs/reference.md"), limit(600, "docs/performance.md"));
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
