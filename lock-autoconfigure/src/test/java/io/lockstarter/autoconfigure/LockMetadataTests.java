package io.lockstarter.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the configuration metadata that editors show.
 */
class LockMetadataTests {

	@Test
	void describesEveryProperty() {
		assertThat(properties()).isNotEmpty().allSatisfy((property) -> {
			assertThat(property).extractingByKey("description").asString().matches("[A-Z].*\\.");
			assertThat(property).extractingByKey("type").asString().isNotEmpty();
		});
	}

	@Test
	void explainsEveryValueOfEnumerations() {
		Map<String, List<String>> values = hints();
		assertThat(properties().stream().filter((property) -> enumeration(property) != null)).hasSize(5)
			.allSatisfy((property) -> assertThat(values.get(property.get("name").toString()))
				.containsExactlyElementsOf(Arrays.stream(enumeration(property).getEnumConstants())
					.map((constant) -> constant.toString().toLowerCase(Locale.ROOT).replace('_', '-'))
					.toList()));
	}

	@Test
	void suggestsDurationsThatCanBeSet() {
		Map<String, List<String>> values = hints();
		assertThat(properties().stream().filter((property) -> property.get("type").equals(Duration.class.getName())))
			.hasSizeGreaterThan(5)
			.allSatisfy((property) -> assertThat(values.get(property.get("name").toString())).isNotEmpty()
				.allSatisfy((value) -> assertThat(bind(property.get("name").toString(), value)).isNotNull()));
	}

	@Test
	void explainsNoOtherProperties() {
		assertThat(hints().keySet())
			.isSubsetOf(list("properties").stream().map((property) -> property.get("name").toString()).toList());
		assertThat(list("hints")).allSatisfy((hint) -> assertThat(values(hint))
			.allSatisfy((value) -> assertThat(value.get("description").toString()).matches("[A-Z].*\\.")));
	}

	private static Class<?> enumeration(Map<String, Object> property) {
		Class<?> type = ClassUtils.resolveClassName(property.get("type").toString().replaceAll("<.*", ""), null);
		return type.isEnum() ? type : null;
	}

	private static DistributedLockProperties bind(String name, String value) {
		return new Binder(new MapConfigurationPropertySource(Map.of(name, value)))
			.bind("distributed-lock", DistributedLockProperties.class)
			.get();
	}

	private static Map<String, List<String>> hints() {
		return list("hints").stream()
			.collect(Collectors.toMap((hint) -> hint.get("name").toString(),
					(hint) -> values(hint).stream().map((value) -> value.get("value").toString()).toList()));
	}

	@SuppressWarnings("unchecked")
	private static List<Map<String, Object>> values(Map<String, Object> hint) {
		return (List<Map<String, Object>>) hint.get("values");
	}

	static List<Map<String, Object>> properties() {
		return properties("distributed-lock.");
	}

	static List<Map<String, Object>> propertiesOfActuator() {
		return properties("management.");
	}

	private static List<Map<String, Object>> properties(String prefix) {
		return list("properties").stream()
			.filter((property) -> property.get("name").toString().startsWith(prefix))
			.toList();
	}

	/** What the values of an enumeration mean, or none. */
	static Map<String, String> valuesOf(Map<String, Object> property) {
		Map<String, String> values = new LinkedHashMap<>();
		if (enumeration(property) != null) {
			list("hints").stream()
				.filter((hint) -> hint.get("name").equals(property.get("name")))
				.flatMap((hint) -> values(hint).stream())
				.forEach((value) -> values.put(value.get("value").toString(), value.get("description").toString()));
		}
		return values;
	}

	@SuppressWarnings("unchecked")
	private static List<Map<String, Object>> list(String name) {
		try (InputStream metadata = DistributedLockProperties.class
			.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
			String json = new String(metadata.readAllBytes(), StandardCharsets.UTF_8);
			return (List<Map<String, Object>>) JsonParserFactory.getJsonParser().parseMap(json).get(name);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
