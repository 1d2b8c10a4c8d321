package io.lockstarter.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.lockstarter.testing.Checkout;

/**
 * A page of the documentation, with the code that it shows.
 *
 * @param text the page
 */
record Page(String text) {

	private static final Pattern BLOCK = Pattern.compile("(?s)```java\\n(.+?)```");

	private static final Pattern COMMENT = Pattern.compile("//.*");

	static Page of(String... path) {
		return new Page(read(Checkout.ROOT.resolve(String.join("/", path))));
	}

	/** The source of a class of the tests, without its layout. */
	static String source(Class<?> type) {
		return withoutLayout(exactSource(type));
	}

	/** The source of a class of the tests, as it is. */
	static String exactSource(Class<?> type) {
		return read(Path.of("src", "test", "java", type.getName().replace('.', '/') + ".java"));
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** The blocks of code. */
	List<String> blocks() {
		return matches(BLOCK, this.text).toList();
	}

	/** The lines of all blocks, without comments. */
	Stream<String> lines() {
		return blocks().stream()
			.flatMap(String::lines)
			.map((line) -> COMMENT.matcher(line).replaceFirst("").strip())
			.filter((line) -> !line.isEmpty());
	}

	static Stream<String> matches(Pattern pattern, String text) {
		return pattern.matcher(text).results().map((MatchResult match) -> match.group(1));
	}

	static String withoutLayout(String code) {
		return code.replaceAll("\\s+", "");
	}

	/** Whether a source has a line, in which an ellipsis stands for anything. */
	static boolean shows(String source, String line) {
		String regex = Stream.of(withoutLayout(line).split("…", -1))
			.map(Pattern::quote)
			.reduce((a, b) -> a + ".*?" + b)
			.orElseThrow();
		return Pattern.compile(regex).matcher(source).find();
	}

}
