package io.lockstarter.autoconfigure;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import org.springframework.boot.json.JsonParserFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the configuration metadata that editors show.
 */
class LockMetadataTests {

	@Test
	void describesEveryProperty() throws Exception {
		assertThat(properties()).isNotEmpty().allSatisfy((property) -> {
			assertThat(property).extractingByKey("description").asString().matches("[A-Z].*\\.");
			assertThat(property).extractingByKey("type").asString().isNotEmpty();
		});
	}

	@SuppressWarnings("unchecked")
	static List<Map<String, Object>> properties() throws Exception {
		try (InputStream metadata = DistributedLockProperties.class
			.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
			String json = new String(metadata.readAllBytes(), StandardCharsets.UTF_8);
			return ((List<Map<String, Object>>) JsonParserFactory.getJsonParser().parseMap(json).get("properties"))
				.stream()
				.filter((property) -> property.get("name").toString().startsWith("distributed-lock."))
				.toList();
		}
	}

}
