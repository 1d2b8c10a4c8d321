package io.lockstarter.testing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Report of the tests of all modules that were skipped because of a missing tool, with a
 * line for each tool. The build prints the report at its end.
 */
final class ToolReport {

	private static final XMLInputFactory XML = XMLInputFactory.newInstance();

	/** Folders between the root and a module, including the module's own, at most. */
	private static final int MODULE_DEPTH = 2;

	private final Map<String, Integer> testsByReason = new TreeMap<>();

	private int reports;

	private ToolReport() {
	}

	/**
	 * Prints the report.
	 * @param arguments the folder of the whole project, and the time at which the build
	 * began, so that reports of earlier builds do not count
	 */
	@SuppressWarnings("SystemOut")
	public static void main(String[] arguments) throws IOException, XMLStreamException {
		lines(Path.of(arguments[0]), Instant.parse(arguments[1])).forEach(System.out::println);
	}

	static List<String> lines(Path root, Instant start) throws IOException, XMLStreamException {
		ToolReport report = new ToolReport();
		try (Stream<Path> folders = Files.find(root, MODULE_DEPTH + 2,
				(folder, attributes) -> folder.endsWith("target/surefire-reports"))) {
			for (Path folder : folders.toList()) {
				report.addModule(folder, start);
			}
		}
		return report.lines();
	}

	private void addModule(Path folder, Instant start) throws IOException, XMLStreamException {
		try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "TEST-*.xml")) {
			for (Path file : files) {
				if (!Files.getLastModifiedTime(file).toInstant().isBefore(start)) {
					add(file);
				}
			}
		}
	}

	private void add(Path file) throws IOException, XMLStreamException {
		this.reports++;
		try (InputStream in = Files.newInputStream(file)) {
			XMLStreamReader reader = XML.createXMLStreamReader(in);
			while (reader.hasNext()) {
				if (reader.next() == XMLStreamReader.START_ELEMENT && reader.getLocalName().equals("skipped")) {
					addReason(Objects.requireNonNullElse(reader.getAttributeValue(null, "message"), ""));
				}
			}
			reader.close();
		}
	}

	private void addReason(String reason) {
		if (reason.startsWith(ToolCondition.NEEDS)) {
			this.testsByReason.merge(reason.substring(ToolCondition.NEEDS.length()), 1, Integer::sum);
		}
	}

	private List<String> lines() {
		if (this.reports == 0) {
			return List.of();
		}
		if (this.testsByReason.isEmpty()) {
			return List.of("No test was skipped for lack of a tool.");
		}
		List<String> lines = new ArrayList<>();
		this.testsByReason.forEach((reason, tests) -> lines.add(String.format(Locale.ROOT, "Not run: %d %s %s", tests,
				(tests == 1) ? "test that needs" : "tests that need", reason)));
		return lines;
	}

}
