package io.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Javadoc of classes in the main sources.
 */
public final class Javadoc {

	/** Folder of the sources, relative to a module. */
	private static final Path SOURCES = Checkout.file("lock-autoconfigure", "src", "main", "java");

	private static final Pattern COMMENT = Pattern.compile("(?s)/\\*\\*(.+?)\\*/");

	private static final Pattern END_OF_SUMMARY = Pattern.compile("(?s) (?:<p>|@\\w).*");

	private static final Pattern PARAMETER = Pattern.compile("@param (\\w+) ([^@]+)");

	private Javadoc() {
	}

	/** Returns the first paragraph about a class, as Markdown. */
	public static String summary(String name) {
		return markdown(END_OF_SUMMARY.matcher(comment(name)).replaceFirst(""));
	}

	/** Returns the descriptions of the components of a record, as Markdown. */
	public static Map<String, String> parameters(Class<?> type) {
		return PARAMETER.matcher(comment(type.getName()).replaceAll("\\{@", "{"))
			.results()
			.collect(Collectors.toMap((parameter) -> parameter.group(1), (parameter) -> markdown(parameter.group(2))));
	}

	/** Returns the first comment on a class, in one line. */
	private static String comment(String name) {
		Path file = SOURCES.resolve(name.replace('.', '/') + ".java");
		try {
			Matcher comment = COMMENT.matcher(Files.readString(file));
			if (!comment.find()) {
				throw new AssertionError("No comment in " + file);
			}
			return comment.group(1).replaceAll("\\s+\\*?\\s*", " ");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String markdown(String text) {
		return text.replaceAll("\\{@?(?:code|link) ([^}]+)}", "`$1`").strip();
	}

}
