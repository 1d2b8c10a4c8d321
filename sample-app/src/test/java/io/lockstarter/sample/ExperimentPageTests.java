package io.lockstarter.sample;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.lockstarter.browser.Accessibility;
import io.lockstarter.browser.Browser;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.testing.Needs;
import io.lockstarter.testing.Ports;
import io.lockstarter.testing.Tool;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The page of the experiments in a browser, with two instances that share an embedded
 * Redis.
 */
@Needs(Tool.BROWSER)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ExperimentPageTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final List<String> EXPERIMENTS = List.of("contention", "long-hold", "freeze", "cut", "unfenced",
			"fenced");

	private static final String BUTTONS = """
			return [...document.querySelectorAll("button")].map((button) => {
				const { left, top, width, height } = button.getBoundingClientRect();
				return [left + scrollX, top + scrollY, width, height].join(" ");
			});
			""";

	private static final String OVERFLOWING = """
			return [...document.querySelectorAll("body *")]
				.filter((node) => node.checkVisibility() && !node.closest(".scroll, pre") && node.getBoundingClientRect().right > innerWidth + 1)
				.map((node) => node.outerHTML.slice(0, 200));
			""";

	@TempDir
	static Path directory;

	static Instance north;

	static Instance south;

	static Browser browser;

	@BeforeAll
	static void start() {
		int redisPort = Ports.free();
		north = Instance.start("north", redisPort, directory);
		south = Instance.start("south", redisPort, directory);
		north.awaitParticipants(2);
		browser = Browser.start(directory.resolve("browser"));
	}

	@AfterAll
	static void stop() throws Exception {
		// The first instance takes the Redis with it
		for (AutoCloseable resource : Stream.of(browser, south, north).filter(Objects::nonNull).toList()) {
			resource.close();
		}
	}

	@BeforeEach
	void open() {
		browser.size(1200, 1000);
		browser.prefer("light", true);
		open("experiments.html");
		await().atMost(PATIENCE).until(() -> browser.text("#connection").equals("Live."));
	}

	@Test
	@Order(1)
	void guidesFromOneExperimentToTheNext() {
		assertThat(guides()).containsExactly("Press this first.", "", "", "", "", "");
		List<String> buttons = browser.run(BUTTONS);
		press("contention");
		await().atMost(PATIENCE).until(() -> said("contention").equals("Started."));
		assertHasFocus("contention");
		await().atMost(PATIENCE).until(() -> story("contention").size() == 13);
		assertThat(story("contention").get(0)).startsWith("north").contains("12 buyers on 2 instances");
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(guides()).containsExactly("", "Press this next.", "", "", "", ""));
		assertThat(browser.<List<String>>run(BUTTONS)).isEqualTo(buttons);
		assertHasFocus("contention");
		assertThat(browser.complaints()).isEmpty();
	}

	@Test
	@Order(2)
	void tellsInPlainWordsThatNothingStarted() throws InterruptedException {
		List<String> buttons = browser.run(BUTTONS);
		try (LockHandle lock = south.bean(LockRegistry.class).acquire(LockRequest.of("stocktaking"))) {
			press("long-hold");
			await().atMost(PATIENCE)
				.until(() -> said("long-hold")
					.equals("Not started. This experiment is still running on south. Wait until its lock is free."));
			assertThat(lock.isValid()).isTrue();
		}
		assertHasFocus("long-hold");
		assertThat(story("long-hold")).isEmpty();
		assertThat(browser.<List<String>>run(BUTTONS)).isEqualTo(buttons);
		assertThat(browser.complaints()).singleElement().asString().contains("409");
	}

	@Test
	@Order(3)
	void leadsToThePageOfAllLocks() throws InterruptedException {
		try (LockHandle lock = south.bean(LockRegistry.class).acquire(LockRequest.of("stocktaking"))) {
			browser.find("nav [href='distributed-locks/']").click();
			await().atMost(PATIENCE).until(() -> browser.text("[data-lock=stocktaking]").contains("south"));
			assertThat(lock.isValid()).isTrue();
		}
		assertThat(browser.complaints()).isEmpty();
	}

	/** Each counts in its own way what both instances hold and wait for. */
	@Test
	@Order(4)
	void showsTheNumbersOfEndpointsAndMeters() {
		List<CompletableFuture<LockHandle>> requests = new ArrayList<>();
		try {
			for (String name : List.of("sale:1", "sale:2", "sale:3")) {
				requests.add(request(north, name));
				await().atMost(PATIENCE).until(requests.get(requests.size() - 1)::isDone);
			}
			for (int i = 0; i < 5; i++) {
				requests.add(request((i % 2 == 0) ? south : north, "sale:1"));
			}
			requests.add(request(south, "sale:2"));
			open("distributed-locks/");
			await().atMost(PATIENCE).untilAsserted(() -> {
				assertThat(List.of(page("#held"), endpoints("held"), meters("distributed.lock.held"))).containsOnly(3L);
				assertThat(List.of(page("#waiting"), endpoints("waiting"), meters("distributed.lock.waiting")))
					.containsOnly(6L);
				assertThat(page("[data-lock='sale:1'] .waiting")).isEqualTo(5);
				assertThat(page("[data-lock='sale:2'] .waiting")).isEqualTo(1);
			});
		}
		finally {
			Collections.reverse(requests);
			requests.stream().filter((request) -> !request.cancel(true)).forEach((request) -> request.join().close());
		}
		await().atMost(PATIENCE)
			.untilAsserted(
					() -> assertThat(List.of(page("#held"), page("#waiting"), endpoints("held"), endpoints("waiting"),
							meters("distributed.lock.held"), meters("distributed.lock.waiting")))
						.containsOnly(0L));
		assertThat(browser.complaints()).isEmpty();
	}

	private static CompletableFuture<LockHandle> request(Instance instance, String name) {
		return instance.bean(LockRegistry.class)
			.acquireAsync(LockRequest.of(name)
				.metricName("sale")
				.owner(LockOwner.create("buyer"))
				.waitTime(LockRequest.FOREVER));
	}

	private static long page(String selector) {
		return Long.parseLong(browser.text(selector));
	}

	private static long endpoints(String list) {
		return Stream.of(north, south).mapToLong((instance) -> instance.count("/actuator/locks", list)).sum();
	}

	private static long meters(String name) {
		return Stream.of(north, south)
			.flatMap((instance) -> instance.bean(MeterRegistry.class).get(name).gauges().stream())
			.mapToLong((gauge) -> Math.round(gauge.value()))
			.sum();
	}

	@Test
	@Order(5)
	void isLegibleInTheDarkOnPhoneAndInLightOnDesktop() {
		assertLegible("experiments", "dark", 360);
		assertLegible("experiments", "light", 1200);
		open("");
		await().atMost(PATIENCE).until(() -> browser.text("#instance").equals("north"));
		assertLegible("box-office", "dark", 360);
		assertLegible("box-office", "light", 1200);
		assertThat(browser.complaints()).isEmpty();
	}

	@Test
	@Order(5)
	@Tag("stress")
	void isLegibleInAnyLightAtAnyWidth() {
		assertLegible("experiments");
		open("");
		await().atMost(PATIENCE).until(() -> browser.text("#instance").equals("north"));
		assertLegible("box-office");
		assertThat(browser.complaints()).isEmpty();
	}

	@Test
	@Order(6)
	@Tag("stress")
	void showsAllThatHappensAndMovesNoButton() {
		List<String> buttons = browser.run(BUTTONS);
		EXPERIMENTS.forEach((experiment) -> {
			press(experiment);
			await().atMost(PATIENCE).until(() -> said(experiment).equals("Started."));
			await().atMost(PATIENCE).until(() -> ended(experiment));
			assertHasFocus(experiment);
		});
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(guides()).containsOnly(""));
		assertThat(browser.<List<String>>run(BUTTONS)).isEqualTo(buttons);
		assertThat(story("freeze")).filteredOn((line) -> line.contains("lost the lock")).hasSize(1);
		assertThat(browser.complaints()).isEmpty();
		assertLegible("stories");
	}

	private static void assertLegible(String name) {
		for (String scheme : List.of("dark", "light")) {
			for (int width : List.of(360, 390, 1200)) {
				assertLegible(name, scheme, width);
			}
		}
	}

	private static void assertLegible(String name, String scheme, int width) {
		browser.prefer(scheme, true);
		browser.size(width, 1000);
		assertThat(browser.paleTexts()).as("%s, %d pixels", scheme, width).isEmpty();
		assertThat(Accessibility.violations(browser)).as("%s, %s pixels", scheme, width).isEmpty();
		assertThat(browser.<List<String>>run(OVERFLOWING)).as("%d pixels", width).isEmpty();
		browser.size(width, browser.<Long>run("return document.documentElement.scrollHeight").intValue());
		browser.screenshot(Path.of("target", "%s-%s-%d.png".formatted(name, scheme, width)));
	}

	private static void open(String page) {
		browser.open(north.address() + "/" + page);
	}

	/** By the keyboard. */
	private static void press(String experiment) {
		browser.find(in(experiment, "button")).sendKeys(Keys.ENTER);
	}

	private static void assertHasFocus(String experiment) {
		assertThat(browser.<Boolean>run("return document.activeElement === document.querySelector(arguments[0])",
				in(experiment, "button")))
			.as("focus")
			.isTrue();
	}

	private static List<String> guides() {
		return EXPERIMENTS.stream().map((experiment) -> browser.text(in(experiment, ".guide"))).toList();
	}

	private static String said(String experiment) {
		return browser.text(in(experiment, ".result"));
	}

	private static List<String> story(String experiment) {
		return browser.run("return [...document.querySelectorAll(arguments[0])].map((node) => node.textContent)",
				in(experiment, ".story li"));
	}

	private static boolean ended(String experiment) {
		return browser.<Boolean>run("return !!document.querySelector(arguments[0])",
				in(experiment, ".story :is([data-kind=DONE], [data-kind=REFUSED], [data-kind=OVERWRITTEN])"));
	}

	private static String in(String experiment, String selector) {
		return "[data-experiment='%s'] %s".formatted(experiment, selector);
	}

}
