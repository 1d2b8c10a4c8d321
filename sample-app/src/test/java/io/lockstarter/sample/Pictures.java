package io.lockstarter.sample;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import io.lockstarter.browser.Browser;
import io.lockstarter.testing.Checkout;
import io.lockstarter.testing.Needs;
import io.lockstarter.testing.Ports;
import io.lockstarter.testing.Tool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.awaitility.Awaitility.await;

/**
 * Takes the pictures of the documentation, by driving the sample. No build runs it, but
 * {@code .ci/pictures} does.
 */
@Needs(Tool.BROWSER)
class Pictures {

	private static final Path IMAGES = Checkout.file("docs", "images");

	private static final Duration PATIENCE = Duration.ofSeconds(90);

	/** So that locks are held while pictures are taken. */
	private static final String PAPERWORK = "10m";

	private static final int WIDTH = 1280;

	private static final int HEIGHT = 900;

	@TempDir
	Path directory;

	private final List<Instance> instances = new ArrayList<>();

	private Browser browser;

	private int sales;

	@BeforeEach
	void start() throws Exception {
		int redisPort = Ports.free();
		for (String name : List.of("box-office-1", "box-office-2", "box-office-3")) {
			this.instances.add(Instance.start(name, redisPort, this.directory, "--spring.application.version=2.4.0",
					"--distributed-lock.wait-time=" + PAPERWORK, "--sample.rendering.duration=" + PAPERWORK,
					"--sample.paperwork=" + PAPERWORK, "--server.shutdown=immediate",
					"--distributed-lock.shutdown.drain-timeout=1s",
					"--spring.lifecycle.timeout-per-shutdown-phase=2s"));
		}
		this.instances.get(0).awaitParticipants(this.instances.size());
		this.browser = Browser.start(this.directory.resolve("browser"));
		this.browser.size(WIDTH, HEIGHT);
		this.browser.prefer("light", true);
	}

	@AfterEach
	void stop() {
		this.browser.close();
		// The first instance takes the Redis with it
		Collections.reverse(this.instances);
		this.instances.forEach(Instance::close);
	}

	@Test
	void takeThoseOfThePageOfLocks() {
		open("distributed-locks/", "#title");
		for (int number = 1; number <= 6; number++) {
			sell("A" + number);
			sell("B" + number);
			sell("C" + number);
			awaitText("#range", 3 * number + " locks");
		}
		this.instances.get(0).post("/renderings", Map.of());
		this.instances.get(1).postLater("/transfers", Map.of("from", "ann", "to", "bob", "amount", "10"));
		awaitText("#range", "20 locks");
		List.of("A1", "A1", "B2").forEach(this::sell);
		this.instances.get(2).postLater("/transfers", Map.of("from", "bob", "to", "cem", "amount", "5"));
		awaitText("[data-lock='seat:A1'] .waiting", "2");
		awaitText("[data-lock='accounts'] .waiting", "1");
		take("dashboard-light");
		this.browser.prefer("dark", true);
		take("dashboard-dark");
		this.browser.prefer("light", true);
		this.browser.size(390, 844);
		take("dashboard-phone");
		this.browser.size(WIDTH, HEIGHT);
		awaitText("#title", "unusually long");
		this.browser.find("[data-lock='seat:A1'] .name").click();
		awaitText("#drawer-now", "has held the lock since");
		take("dashboard-drawer");
		this.browser.find("#close").click();
		this.browser.run("document.activeElement.blur()");
		redis("maxmemory", "1");
		awaitText("#title", "Redis refuses writes");
		take("dashboard-trouble");
		redis("maxmemory", "0");
	}

	@Test
	void takeThatOfTheExperiments() {
		this.browser.size(WIDTH, 600);
		open("experiments.html", "#instance");
		for (String experiment : List.of("contention", "long-hold", "freeze", "cut", "unfenced", "fenced")) {
			String section = "[data-experiment='%s'] ".formatted(experiment);
			this.browser.find(section + "button").click();
			await().atMost(PATIENCE)
				.until(() -> !this.browser
					.text(section + ":is([data-kind=DONE], [data-kind=REFUSED], [data-kind=OVERWRITTEN])")
					.isEmpty());
		}
		await().atMost(PATIENCE)
			.until(() -> this.browser
				.<Long>run("return document.querySelectorAll('[data-experiment=contention] li').length") >= 19);
		this.browser.size(WIDTH, this.browser.<Long>run("return document.documentElement.scrollHeight").intValue());
		take("experiments");
		this.browser.run(
				"document.querySelectorAll('header, main > :not([data-experiment$=fenced])').forEach((one) => one.remove())");
		this.browser.size(WIDTH, 100);
		this.browser.size(WIDTH, this.browser.<Long>run("return document.documentElement.scrollHeight").intValue());
		take("fenced");
	}

	/** Each takes its time, and goes on while pictures are taken. */
	private void sell(String seat) {
		this.instances.get(this.sales++ % this.instances.size()).postLater("/seats/" + seat, Map.of("customer", "ann"));
	}

	private void open(String page, String filled) {
		this.browser.open(this.instances.get(0).address() + "/" + page);
		await().atMost(PATIENCE).until(() -> !List.of("", "…", "Connecting…").contains(this.browser.text(filled)));
	}

	private void awaitText(String selector, String text) {
		await().atMost(PATIENCE).until(() -> this.browser.text(selector).contains(text));
	}

	private void redis(String parameter, String value) {
		this.instances.get(0).bean(StringRedisTemplate.class).execute((RedisCallback<Object>) (connection) -> {
			connection.serverCommands().setConfig(parameter, value);
			return null;
		});
	}

	private void take(String name) {
		this.browser.screenshot(IMAGES.resolve(name + ".png"));
	}

}
