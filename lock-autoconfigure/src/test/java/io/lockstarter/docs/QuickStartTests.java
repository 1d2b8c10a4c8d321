package io.lockstarter.docs;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.example.Shop;
import com.jayway.jsonpath.JsonPath;
import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The quick start of README.md is complete, and shows what it promises.
 */
class QuickStartTests {

	private static final String README = Page.of("README.md").text();

	private static final HttpClient HTTP = HttpClient.newHttpClient();

	@Test
	void showsTheClassThatIsTested() {
		assertThat(block("java", "package com.example")).isEqualToNormalizingNewlines(Page.exactSource(Shop.class));
	}

	@Test
	void namesTheSameArtifactsToMavenAndGradle() {
		List<String> maven = Page
			.matches(Pattern.compile("(?s)<dependency>\\s*(.*?)\\s*</dependency>"), block("xml", "<project"))
			.map((dependency) -> Page.matches(Pattern.compile("<\\w+>([^<]+)</\\w+>"), dependency))
			.map((parts) -> String.join(":", parts.toList()))
			.toList();
		assertThat(maven).hasSize(3);
		assertThat(Page.matches(Pattern.compile("implementation '([^']+)'"), block("groovy", "plugins")))
			.containsExactlyElementsOf(maven);
		String boot = Page.matches(Pattern.compile("(?s)<parent>.*?<version>([^<]+)<"), README)
			.findFirst()
			.orElseThrow();
		assertThat(block("groovy", "plugins")).contains("version '" + boot + "'", "dependencies:" + boot);
	}

	@Test
	void showsWhoHoldsTheLockAndRefusesTheSecondCall() throws Exception {
		try (RedisServer redis = RedisServer.start(); ConfigurableApplicationContext shop = start(redis)) {
			String address = "http://localhost:" + ((ServletWebServerApplicationContext) shop).getWebServer().getPort();
			CompletableFuture<HttpResponse<String>> first = ship(address);
			await().until(() -> !held(address).isEmpty());
			assertThat(held(address)).singleElement()
				.satisfies((lock) -> assertThat(lock).containsOnlyKeys(shownFields())
					.containsEntry("name", "OrderService.ship:42")
					.containsEntry("watchdog", "renewing"));
			assertThat(ship(address).get().statusCode()).isEqualTo(500);
			assertThat(first.get().body()).isEqualTo("Order 42 is shipped");
			assertThat(held(address)).isEmpty();
			assertThatIsLocked(shop.getBean(LockRegistry.class), shop.getBean(Shop.OrderService.class));
		}
	}

	private static void assertThatIsLocked(LockRegistry registry, Shop.OrderService orders) throws Exception {
		try (LockHandle held = registry
			.acquire(LockRequest.of("OrderService.ship:42").owner(LockOwner.create("test")))) {
			assertThatExceptionOfType(LockAcquisitionTimeoutException.class).isThrownBy(() -> orders.ship("42"));
		}
	}

	private static ConfigurableApplicationContext start(RedisServer redis) {
		YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
		yaml.setResources(new ByteArrayResource(block("yaml", "").getBytes()));
		List<String> arguments = new ArrayList<>(List.of("--server.port=0", "--spring.data.redis.port=" + redis.port(),
				"--spring.main.banner-mode=off"));
		Map<Object, Object> properties = yaml.getObject();
		assertThat(properties).isNotEmpty();
		properties.forEach((name, value) -> arguments.add("--%s=%s".formatted(name, value)));
		return SpringApplication.run(Shop.class, arguments.toArray(String[]::new));
	}

	private static CompletableFuture<HttpResponse<String>> ship(String address) {
		return HTTP.sendAsync(
				HttpRequest.newBuilder(URI.create(address + "/orders/42/ship")).POST(BodyPublishers.noBody()).build(),
				BodyHandlers.ofString());
	}

	private static List<Map<String, Object>> held(String address) throws Exception {
		return JsonPath.read(HTTP
			.send(HttpRequest.newBuilder(URI.create(address + "/actuator/locks")).build(), BodyHandlers.ofString())
			.body(), "$.held");
	}

	private static String[] shownFields() {
		Map<String, Object> shown = JsonPath.read(block("json", ""), "$.held[0]");
		return shown.keySet().toArray(String[]::new);
	}

	private static String block(String language, String start) {
		return Page.matches(Pattern.compile("(?s)```" + language + "\\n(.+?)```"), README)
			.filter((block) -> block.startsWith(start))
			.findFirst()
			.orElseThrow();
	}

	@Test
	void showsTheLineOfTheStart() {
		Stream<String> lines = Page.matches(Pattern.compile("(?m)^(Distributed locks in .*)$"), README);
		assertThat(lines).singleElement()
			.asString()
			.matches("Distributed locks in Redis at localhost:6379 \\(Lettuce\\), Redis \\d.*, standalone; "
					+ "key prefix 'lock:', lease 30s, wait 10s; locked methods: 1");
	}

}
