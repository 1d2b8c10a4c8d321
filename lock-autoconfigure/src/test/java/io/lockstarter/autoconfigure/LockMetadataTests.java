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

	@Test
	void listsTheContract() throws Exception {
		assertThat(properties()).extracting((property) -> property.get("name"))
			.containsExactlyInAnyOrder("distributed-lock.enabled", "distributed-lock.backend",
					"distributed-lock.adapter.shedlock", "distributed-lock.adapter.spring-integration",
					"distributed-lock.handover.limit", "distributed-lock.endpoint.force-release",
					"distributed-lock.instance", "distributed-lock.key-prefix", "distributed-lock.wait-time",
					"distributed-lock.lease-time", "distributed-lock.max-hold-time", "distributed-lock.on-lost",
					"distributed-lock.fencing.retention", "distributed-lock.replication.min-replicas",
					"distributed-lock.replication.timeout", "distributed-lock.quorum.nodes",
					"distributed-lock.quorum.longest-lease", "distributed-lock.release-after-transaction",
					"distributed-lock.shutdown.drain-timeout", "distributed-lock.aspect.enabled",
					"distributed-lock.aspect.mode", "distributed-lock.aspect.order");
	}

	@SuppressWarnings("unchecked")
	private static List<Map<String, Object>> properties() throws Exception {
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
