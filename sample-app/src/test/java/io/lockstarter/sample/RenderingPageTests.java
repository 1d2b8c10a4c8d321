package io.lockstarter.sample;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.lockstarter.browser.Accessibility;
import io.lockstarter.browser.Browser;
import io.lockstarter.testing.Needs;
import io.lockstarter.testing.Ports;
import io.lockstarter.testing.Tool;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The page of the renderings in a browser.
 */
@Needs(Tool.BROWSER)
class RenderingPageTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	@TempDir
	static Path directory;

	static int redisPort;

	static Instance north;

	static Browser browser;

	@BeforeAll
	static void start() {
		redisPort = Ports.free();
		north = Instance.start("north", redisPort, directory, "--sample.rendering.duration=1s");
		browser = Browser.start(directory.resolve("browser"));
	}

	@AfterAll
	static void stop() throws Exception {
		for (AutoCloseable resource : Stream.of(browser, north).filter(Objects::nonNull).toList()) {
			resource.close();
		}
	}

	@AfterEach
	void findsNothingToComplainAbout() {
		assertThat(browser.complaints()).isEmpty();
	}

	@Test
	void showsPermitsAndPicturesInAnyLightAndOnPhone() {
		browser.size(1200, 1000);
		browser.prefer("light", false);
		browser.open(north.address() + "/renderings.html");
		await().atMost(PATIENCE).until(() -> text("#connection").equals("Live."));
		assertThat(text("#in-use")).endsWith("of 3 permits in use");
		browser.find("#start").click();
		await().atMost(PATIENCE).until(() -> text("#started").startsWith("All eight are waiting."));
		assertThat(browser.<String>run("return document.activeElement.id")).as("focus").isEqualTo("start");
		await().atMost(PATIENCE)
			.until(() -> text("#in-use").equals("3 of 3 permits in use") && pictures("RENDERING").size() == 3
					&& text("#at-work").contains("kill -9 " + ProcessHandle.current().pid()));
		assertThat(text(".permit[data-state=renewed]")).startsWith("north").endsWith("left, renewed");
		assertLegible("light");
		assertLegible("dark");
		browser.screenshot(Path.of("target", "renderings-dark.png"));
		browser.size(360, 1600);
		await().untilAsserted(
				() -> assertThat(browser.<Long>run("return document.documentElement.scrollWidth")).isEqualTo(360));
		assertLegible("light");
		browser.screenshot(Path.of("target", "renderings-phone.png"));
		await().atMost(PATIENCE)
			.until(() -> pictures("DONE").size() == 8 && text("#in-use").equals("0 of 3 permits in use"));
		assertThat(pictures("DONE")).allMatch((picture) -> picture.endsWith("done bynorth"));
	}

	@Test
	@Tag("stress")
	void showsThatPermitsOfKilledInstanceComeFreeWhenTheirLeasesEnd() throws IOException {
		browser.size(1200, 1000);
		browser.open(north.address() + "/renderings.html");
		int port = Ports.free();
		Process west = Instance.launch("west", port, redisPort, directory, "--sample.rendering.duration=1m");
		try {
			await().atMost(PATIENCE)
				.ignoreExceptions()
				.untilAsserted(() -> Instance.post("http://localhost:" + port + "/renderings"));
			await().atMost(PATIENCE)
				.until(() -> pictures("RENDERING").stream().anyMatch((picture) -> picture.endsWith("west")));
		}
		finally {
			west.destroyForcibly();
		}
		await().atMost(PATIENCE).until(() -> text(".permit[data-state=not-renewed]").startsWith("west"));
		assertThat(text("#in-use")).endsWith("of 3 permits in use");
		await().atMost(PATIENCE).until(() -> pictures("LOST").stream().anyMatch((lost) -> lost.endsWith("west")));
		await().atMost(PATIENCE)
			.until(() -> pictures("DONE").size() + pictures("LOST").size() == 8 && !text("#permits").contains("west")
					&& text("#in-use").equals("0 of 3 permits in use"));
	}

	private static void assertLegible(String scheme) {
		browser.prefer(scheme, true);
		assertThat(browser.paleTexts()).isEmpty();
		assertThat(Accessibility.violations(browser)).isEmpty();
	}

	private static String text(String selector) {
		return browser.run("return document.querySelector(arguments[0])?.textContent ?? ''", selector);
	}

	private static List<String> pictures(String state) {
		return browser
			.run("""
					return [...document.querySelectorAll(`.picture[data-state=${arguments[0]}]`)].map((node) => node.textContent)""",
					state);
	}

}
