package io.lockstarter.verification.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.lockstarter.testing.Checkout;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the page on reliability names existing tests.
 */
class ReliabilityPageTests {

	private static final Path ROOT = Checkout.ROOT;

	private static final Path PAGE = ROOT.resolve(Path.of("docs", "generated", "reliability.md"));

	/** Pattern of a class in backquotes, possibly with a method. */
	private static final Pattern NAME = Pattern.compile("`([A-Z]\\w*[a-z]\\w*)(?:#(\\w+))?`");

	private static final Map<String, Path> SOURCES = new HashMap<>();

	@BeforeAll
	static void findSources() throws IOException {
		try (Stream<Path> folders = Files.find(ROOT, 3, (folder, attributes) -> folder.endsWith("src"))) {
			for (Path sources : folders.toList()) {
				try (Stream<Path> files = Files.walk(sources)) {
					files.filter((file) -> file.toString().endsWith(".java"))
						.forEach((file) -> SOURCES.put(file.getFileName().toString().replace(".java", ""), file));
				}
			}
		}
	}

	@Test
	void everyTestThatIsNamedExists() throws IOException {
		List<MatchResult> names = NAME.matcher(Files.readString(PAGE)).results().toList();
		assertThat(names).hasSizeGreaterThan(40);
		assertThat(names).allSatisfy((name) -> {
			assertThat(SOURCES).containsKey(name.group(1));
			if (name.group(2) != null) {
				assertThat(read(SOURCES.get(name.group(1)))).contains(" " + name.group(2) + "(");
			}
		});
	}

	@Test
	void everyRowOfTheTableNamesATestOrWhereElseItIsShown() throws IOException {
		List<String> rows = Files.readAllLines(PAGE)
			.stream()
			.dropWhile((line) -> !line.startsWith("| fault | guarantee |"))
			.takeWhile((line) -> line.startsWith("|"))
			.skip(2)
			.toList();
		assertThat(rows).hasSizeGreaterThan(25).allSatisfy((row) -> {
			String[] cells = row.split("\\|");
			assertThat(NAME.matcher(cells[3]).find()).as(row).isTrue();
		});
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
