package io.lockstarter.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.lockstarter.testing.MarkdownTable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The documentation has every property with its default, and no other.
 */
class DocumentedPropertiesTests {

	private static final String PREFIX = "distributed-lock.";

	private static final Path ROOT = Path.of("..");

	private static final Pattern CODE = Pattern.compile("`([^`]+)`");

	private static final Pattern PROPERTY = Pattern.compile("distributed-lock\\.[a-z.-]*[a-z]");

	private static final Pattern YAML = Pattern.compile("(?s)```yaml\\n(.+?)```");

	/** The defaults by the names, which are those in the reference. */
	private static final Map<String, @Nullable String> DEFAULTS = new TreeMap<>();

	/** The cells after the name. */
	private static final Map<String, List<String>> ROWS = new TreeMap<>();

	@BeforeAll
	static void read() throws Exception {
		LockMetadataTests.properties().forEach((property) -> {
			Object value = property.get("defaultValue");
			DEFAULTS.put(property.get("name").toString().substring(PREFIX.length()),
					(value != null) ? value.toString() : null);
		});
		MarkdownTable.below("## Properties", ROOT.resolve(Path.of("docs", "reference.md")))
			.rows()
			.forEach((name, cells) -> ROWS.put(codes(name).get(0), cells));
	}

	static Set<String> names() {
		return DEFAULTS.keySet();
	}

	@Test
	void areAllInTheReference() {
		assertThat(ROWS.keySet()).isEqualTo(DEFAULTS.keySet());
	}

	@ParameterizedTest
	@MethodSource("names")
	void haveTheirDefault(String name) {
		List<String> documented = codes(cells(name).get(0));
		String value = DEFAULTS.get(name);
		if (value != null) {
			assertThat(documented).containsExactly(value);
		}
		else {
			assertThat(DEFAULTS.keySet()).as("a default that is none, or another property").containsAll(documented);
		}
	}

	@ParameterizedTest
	@MethodSource("names")
	void haveAnExampleThatCanBeBoundAndIsNotTheDefault(String name) {
		String example = codes(cells(name).get(1)).get(0);
		assertThat(example).isNotEqualTo(DEFAULTS.get(name));
		String[] entry = example.split("=");
		String property = (entry.length > 1) ? name + "." + entry[0] : name;
		Binder binder = new Binder(
				new MapConfigurationPropertySource(Map.of(PREFIX + property, entry[entry.length - 1])));
		assertThat(binder.bind("distributed-lock", DistributedLockProperties.class).get())
			.isNotEqualTo(new Binder().bindOrCreate("distributed-lock", DistributedLockProperties.class));
	}

	@Test
	void areNamedRightOnAllPages() throws IOException {
		Set<String> named = new TreeSet<>();
		for (Path page : pages()) {
			PROPERTY.matcher(Files.readString(page)).results().map(MatchResult::group).forEach(named::add);
		}
		assertThat(named).hasSizeGreaterThan(5)
			.allSatisfy((property) -> assertThat(DEFAULTS.keySet())
				.anyMatch((name) -> (PREFIX + name).equals(property) || (PREFIX + name).startsWith(property + '.')));
	}

	@Test
	void areShownWithTheirDefaultsInTheReadme() throws IOException {
		String yaml = YAML.matcher(Files.readString(ROOT.resolve("README.md")))
			.results()
			.map((block) -> block.group(1))
			.reduce("", String::concat);
		YamlPropertiesFactoryBean shown = new YamlPropertiesFactoryBean();
		shown.setResources(new ByteArrayResource(yaml.getBytes()));
		Map<Object, Object> properties = new HashMap<>(shown.getObject());
		assertThat(properties).isNotEmpty()
			.allSatisfy((property, value) -> assertThat(DEFAULTS)
				.containsEntry(property.toString().substring(PREFIX.length()), value.toString()));
	}

	private static List<String> cells(String name) {
		assertThat(ROWS).containsKey(name);
		return ROWS.get(name);
	}

	private static List<Path> pages() throws IOException {
		try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
			return Stream.concat(Stream.of(ROOT.resolve("README.md")), docs)
				.filter((page) -> page.toString().endsWith(".md"))
				.toList();
		}
	}

	private static List<String> codes(String cell) {
		return CODE.matcher(cell).results().map((match) -> match.group(1)).toList();
	}

}
