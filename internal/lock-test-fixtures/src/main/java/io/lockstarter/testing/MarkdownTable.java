package io.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Table of a documentation page, for comparison with the code.
 *
 * @param columns the headings, except that of the first column
 * @param rows the other cells of each row, by its first cell
 */
public record MarkdownTable(List<String> columns, Map<String, List<String>> rows) {

	/**
	 * Reads the first table below a heading.
	 */
	public static MarkdownTable below(String heading, Path page) {
		List<List<String>> lines = lines(page).stream()
			.dropWhile((line) -> !line.equals(heading))
			.dropWhile((line) -> !line.startsWith("|"))
			.takeWhile((line) -> line.startsWith("|"))
			.map(MarkdownTable::cells)
			.toList();
		if (lines.size() < 3) {
			throw new AssertionError("No table below '%s' in %s".formatted(heading, page));
		}
		Map<String, List<String>> rows = new LinkedHashMap<>();
		lines.subList(2, lines.size()).forEach((cells) -> rows.put(cells.get(0), rest(cells)));
		return new MarkdownTable(rest(lines.get(0)), rows);
	}

	private static List<String> lines(Path page) {
		try {
			return Files.readAllLines(page);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static List<String> cells(String line) {
		return Arrays.stream(line.substring(1).split("\\|")).map(String::strip).toList();
	}

	private static List<String> rest(List<String> cells) {
		return cells.subList(1, cells.size());
	}

}
