package io.lockstarter.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.testing.Checkout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every link from one page to another, or to a heading, leads somewhere.
 */
class LinkTests {

	private static final Path ROOT = Checkout.ROOT;

	private static final Pattern LINK = Pattern.compile("]\\((?!https?:)([^)#\\s]*)(?:#([^)\\s]+))?\\)");

	private static final Pattern BLOCK = Pattern.compile("(?s)```.*?```");

	private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.+)$");

	static List<Path> pages() throws IOException {
		try (Stream<Path> root = Files.list(ROOT); Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
			List<Path> pages = Stream.concat(root, docs).filter(LinkTests::isPage).sorted().toList();
			assertThat(pages).hasSizeGreaterThan(10);
			return pages;
		}
	}

	@ParameterizedTest
	@MethodSource("pages")
	void leadSomewhere(Path page) throws IOException {
		List<MatchResult> links = LINK.matcher(text(page)).results().toList();
		for (MatchResult link : links) {
			Path target = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1));
			assertThat(target).as(link.group()).exists();
			if (link.group(2) != null && isPage(target)) {
				assertThat(anchors(target)).as(link.group()).contains(link.group(2));
			}
		}
	}

	@ParameterizedTest
	@MethodSource("pages")
	void pageHasNoMarksOfAMerge(Path page) throws IOException {
		assertThat(Files.readString(page)).doesNotContainPattern("(?m)^(<{7}|>{7}) ");
	}

	private static boolean isPage(Path file) {
		return file.toString().endsWith(".md");
	}

	/** As GitHub makes them of headings. */
	private static Set<String> anchors(Path page) throws IOException {
		return HEADING.matcher(text(page))
			.results()
			.map((heading) -> heading.group(1).toLowerCase(Locale.ROOT).replaceAll("[^\\w -]", "").replace(' ', '-'))
			.collect(Collectors.toSet());
	}

	/** What a page says, without its blocks of code. */
	private static String text(Path page) throws IOException {
		return BLOCK.matcher(Files.readString(page)).replaceAll("");
	}

}
