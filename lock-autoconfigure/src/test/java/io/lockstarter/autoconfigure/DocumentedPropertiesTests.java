package io.lockstarter.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.lockstarter.testing.Checkout;
import io.lockstarter.testing.GeneratedPage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/**
 * The documentation has every property with its default, and no other.
 */
class DocumentedPropertiesTests {

	private static final String PREFIX = "distributed-lock.";

	private static final Path ROOT = Checkout.ROOT;

	private static final Pattern PROPERTY = Pattern.compile("distributed-lock\\.[a-z.-]*[a-z]");

	private static final Pattern YAML = Pattern.compile("(?s)```yaml\\n(.+?)```");

	private static final Pattern REFERENCE = Pattern.compile("(?:spring|management|distributed-lock)(?:\\.[a-z-]+)+");

	/** The defaults by the names. */
	private static final Map<String, @Nullable String> DEFAULTS = new TreeMap<>();

	private static final Properties EXAMPLES = new Properties();

	@BeforeAll
	static void read() throws Exception {
		LockMetadataTests.properties().forEach((property) -> {
			Object value = property.get("defaultValue");
			DEFAULTS.put(shortName(property), (value != null) ? value.toString() : null);
		});
		try (InputStream examples = DocumentedPropertiesTests.class
			.getResourceAsStream("property-examples.properties")) {
			EXAMPLES.load(examples);
		}
	}

	static Set<String> names() {
		return DEFAULTS.keySet();
	}

	@Test
	void areAllOnTheGeneratedPage() throws Exception {
		GeneratedPage.by(getClass(), "Properties")
			.text("The names begin with `distributed-lock.`, as in `distributed-lock.wait-time`.")
			.table(List.of("property", "default", "example", "meaning"),
					LockMetadataTests.properties()
						.stream()
						.sorted(Comparator.comparing(DocumentedPropertiesTests::shortName))
						.map((property) -> List.of(code(shortName(property)), defaultOf(property),
								code(EXAMPLES.getProperty(shortName(property))), meaning(property)))
						.toList())
			.text("## Of Actuator")
			.table(List.of("property", "default", "meaning"),
					LockMetadataTests.propertiesOfActuator()
						.stream()
						.sorted(Comparator.comparing((property) -> property.get("name").toString()))
						.map((property) -> List.of(code(property.get("name").toString()), defaultOf(property),
								meaning(property)))
						.toList())
			.assertIsIn("properties.md");
	}

	private static String shortName(Map<String, Object> property) {
		return property.get("name").toString().substring(PREFIX.length());
	}

	private static String defaultOf(Map<String, Object> property) {
		Object value = property.get("defaultValue");
		if (value == null) {
			return "–";
		}
		boolean text = property.get("type").equals(String.class.getName());
		return code(text ? value.toString() : value.toString().replace('_', '-'));
	}

	/** The description, and what each value means if they are few. */
	private static String meaning(Map<String, Object> property) {
		StringBuilder meaning = new StringBuilder(
				REFERENCE.matcher(property.get("description").toString()).replaceAll("`$0`"));
		LockMetadataTests.valuesOf(property)
			.forEach((value, description) -> meaning.append(" %s: %s".formatted(code(value), description)));
		return meaning.toString();
	}

	private static String code(String text) {
		return '`' + text + '`';
	}

	@Test
	void haveOneExampleEach() {
		assertThat(EXAMPLES.stringPropertyNames()).containsExactlyInAnyOrderElementsOf(DEFAULTS.keySet());
	}

	@ParameterizedTest
	@MethodSource("names")
	void haveAnExampleThatCanBeBoundAndIsNotTheDefault(String name) {
		String example = EXAMPLES.getProperty(name);
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
		properties.keySet().removeIf((property) -> !property.toString().startsWith(PREFIX));
		assertThat(properties).isNotEmpty()
			.allSatisfy((property, value) -> assertThat(DEFAULTS)
				.containsEntry(property.toString().substring(PREFIX.length()), value.toString()));
	}

	@ParameterizedTest
	@MethodSource("pages")
	void canBeBoundWhereAPageSetsThem(Path page) throws IOException {
		YAML.matcher(Files.readString(page)).results().map((block) -> block.group(1)).forEach((yaml) -> {
			YamlPropertiesFactoryBean shown = new YamlPropertiesFactoryBean();
			shown.setResources(new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)));
			assertThatCode(() -> new Binder(new MapConfigurationPropertySource(shown.getObject())).bindOrCreate(
					"distributed-lock", Bindable.of(DistributedLockProperties.class),
					new NoUnboundElementsBindHandler(BindHandler.DEFAULT)))
				.as(yaml)
				.doesNotThrowAnyException();
		});
	}

	private static List<Path> pages() throws IOException {
		try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
			return Stream.concat(Stream.of(ROOT.resolve("README.md")), docs)
				.filter((page) -> page.toString().endsWith(".md"))
				.toList();
		}
	}

}
