package io.lockstarter.sample;

import java.io.IOException;
import java.math.BigDecimal;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.lockstarter.browser.Browser;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The lock board in a browser, with two instances that share an embedded Redis.
 */
@EnabledIf(value = "io.lockstarter.browser.Browser#isAvailable", disabledReason = "There is no Chromium with a driver")
class BoardTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final String LOCKS = """
			const lockOf = (node) => node.closest(".lock").dataset.lock;
			return [
				...[...document.querySelectorAll(".holder")].map((node) => ["held", node.dataset.instance, lockOf(node),
					node.dataset.owner, node.dataset.token, node.dataset.watchdog].join(" ")),
				...[...document.querySelectorAll(".waiters li")].map((node) => ["waiting", node.dataset.instance,
					lockOf(node), node.dataset.owner, node.dataset.position].join(" ")),
			];
			""";

	/** Each chart fills its frame, and nothing in it is left blank. */
	private static final String CHARTS_ARE_PAINTED = """
			return [...document.querySelectorAll("canvas")].every((canvas) =>
				Math.abs(canvas.clientWidth - canvas.parentElement.clientWidth) <= 1
				&& canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0));
			""";

	@TempDir
	static Path directory;

	static int redisPort;

	static Instance north;

	static Instance south;

	static Browser browser;

	@BeforeAll
	static void start() throws IOException {
		redisPort = freePort();
		north = Instance.start("north", redisPort, directory);
		south = Instance.start("south", redisPort, directory);
		browser = Browser.start(directory.resolve("browser"));
	}

	@AfterAll
	static void stop() {
		// The first instance takes the Redis with it
		Stream.of(browser, south, north).filter(Objects::nonNull).forEach(BoardTests::close);
	}

	@BeforeEach
	void open() {
		browser.size(1200, 1000);
		browser.prefer("light", false);
		show();
	}

	private static void show() {
		browser.open(north.address() + "/board.html");
		await().atMost(PATIENCE).until(() -> text("#stream").equals("Live.") && text("#instances").contains("south"));
	}

	@AfterEach
	void findsNothingToComplainAbout() {
		assertThat(browser.complaints()).isEmpty();
	}

	@Test
	void showsWhatTheEndpointsTellOfContention() throws InterruptedException {
		awaitFree("seat:front-row");
		try (LockHandle lock = south.bean(LockRegistry.class).acquire(LockRequest.of("seat:front-row"))) {
			experiment("contention");
			await().atMost(PATIENCE).untilAsserted(() -> {
				assertThat(shown("seat:front-row")).hasSize(13)
					.containsExactlyInAnyOrderElementsOf(told("seat:front-row"))
					.contains("held south seat:front-row %s %d renewing".formatted(lock.owner(), lock.fencingToken()));
			});
			assertThat(shown("seat:front-row")).filteredOn((line) -> line.startsWith("waiting north")).hasSize(6);
		}
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(shown("seat:front-row")).isEmpty());
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(counted("waits")).isGreaterThanOrEqualTo(13)
				.isEqualTo(Stream.of(north, south)
					.mapToLong((instance) -> metered(instance, "acquire?tag=outcome:acquired"))
					.sum()));
	}

	@Test
	void showsHowManyPermitsAreHeld() throws InterruptedException {
		List<LockHandle> held = new ArrayList<>();
		for (Instance instance : List.of(north, south, south)) {
			held.add(instance.bean(LockRegistry.class).acquire(rendering(held.size())));
		}
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(text("[data-lock=rendering] h3")).isEqualTo("rendering: 3 of 4"));
		assertThat(shown("rendering")).hasSize(3).isEqualTo(told("rendering"));
		assertThat(Stream.of(north, south).flatMap((instance) -> told(instance, "rendering", "held", "permits")))
			.containsExactly("held north rendering 4", "held south rendering 4", "held south rendering 4");
		held.add(north.bean(LockRegistry.class).acquire(rendering(3)));
		CompletableFuture<LockHandle> fifth = south.bean(LockRegistry.class).acquireAsync(rendering(4));
		await().atMost(PATIENCE).untilAsserted(() -> {
			assertThat(text("[data-lock=rendering] h3")).isEqualTo("rendering: 4 of 4");
			assertThat(text("[data-lock=rendering] .waiters .count")).isEqualTo("1 waits");
			assertThat(shown("rendering")).hasSize(5).isEqualTo(told("rendering"));
		});
		held.get(0).close();
		fifth.join().close();
		held.subList(1, 3).forEach(LockHandle::close);
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(text("[data-lock=rendering] h3")).isEqualTo("rendering: 1 of 4"));
		held.get(3).close();
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(shown("rendering")).isEmpty());
	}

	private static LockRequest rendering(int number) {
		return LockRequest.of("rendering").permits(4).owner(LockOwner.create("rendering-" + number)).waitTime(PATIENCE);
	}

	@Test
	@Tag("stress")
	void showsRenewalsOfLongHold() {
		awaitFree("stocktaking");
		browser.find("[data-experiment='long-hold']").sendKeys(Keys.ENTER);
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(renewalsSeen("stocktaking")).isGreaterThanOrEqualTo(2));
		assertThat(shown("stocktaking")).singleElement().asString().startsWith("held north").endsWith("renewing");
		assertThat(shown("stocktaking")).isEqualTo(told("stocktaking"));
	}

	@Test
	@Tag("stress")
	void showsHowFencingTokenRefusesFrozenHolder() {
		freeze();
		assertThat(tokens("FROZEN")).hasSize(1).isEqualTo(tokens("REFUSED")).isEqualTo(tokens("LOST"));
		long stale = tokens("REFUSED").get(0);
		assertThat(tokens("WRITTEN")).hasSize(2).allSatisfy((token) -> assertThat(token).isGreaterThan(stale));
		assertThat(north.bean(JdbcClient.class).sql("select token from ledger").query(Long.class).single())
			.isEqualTo(tokens("WRITTEN").stream().max(Long::compare).orElseThrow());
		assertThat(text("#instances [data-instance=north] .lost")).isEqualTo(String.valueOf(metered(north, "lost")))
			.isNotEqualTo("0");
	}

	@Test
	@Tag("stress")
	void showsRenewalsThatFailAndRecoverWhenLineIsCut() {
		awaitFree("sound-check");
		experiment("cut");
		await().atMost(PATIENCE).untilAsserted(() -> {
			assertThat(shown("sound-check")).singleElement().asString().startsWith("held north").endsWith("failing");
			assertThat(told("sound-check")).isEqualTo(shown("sound-check"));
		});
		await().atMost(PATIENCE).until(() -> happened("sound-check", "RECOVERED"));
		assertThat(shown("sound-check")).singleElement().asString().endsWith("renewing");
		assertThat(happened("sound-check", "LOST")).isFalse();
	}

	@Test
	@Tag("stress")
	void showsLeaseOfKilledInstanceRunOut() throws IOException {
		awaitFree("stocktaking");
		int port = freePort();
		Process west = Instance.launch("west", port, redisPort, directory);
		try {
			await().atMost(PATIENCE).until(() -> text("#instances").contains("west"));
			Instance.post("http://localhost:" + port + "/board/experiments/long-hold");
			await().atMost(PATIENCE)
				.until(() -> shown("stocktaking").stream().anyMatch((line) -> line.startsWith("held west")));
		}
		finally {
			west.destroyForcibly();
		}
		await().atMost(PATIENCE)
			.until(() -> text("#stream").equals("Silent: west.")
					&& text(".holder.stale .watchdog").equals("its instance is silent"));
		await().atMost(PATIENCE).until(() -> shown("stocktaking").isEmpty());
	}

	@Test
	@Tag("stress")
	void isLegibleInLightAndDarkAndOnPhone() throws InterruptedException {
		browser.prefer("light", true);
		show();
		if (tokens("REFUSED").isEmpty()) {
			freeze();
		}
		try (LockHandle lock = south.bean(LockRegistry.class).acquire(LockRequest.of("seat:B4"))) {
			experiment("contention");
			await().atMost(PATIENCE)
				.until(() -> renewalsSeen("seat:B4") > 0 && text(".waiters .count").endsWith("wait"));
			assertThat(lock.isValid()).isTrue();
			assertThat(
					browser.<String>run("return getComputedStyle(document.querySelector('.left')).transitionDuration"))
				.isEqualTo("0s");
			assertLegibleEverywhere();
		}
	}

	private static void assertLegibleEverywhere() {
		browser.size(1200, 1600);
		assertLegible("light");
		browser.screenshot(Path.of("target", "board-light.png"));
		assertLegible("dark");
		browser.screenshot(Path.of("target", "board-dark.png"));
		browser.size(360, 2900);
		await().untilAsserted(
				() -> assertThat(browser.<Long>run("return document.documentElement.scrollWidth")).isEqualTo(360));
		assertLegible("light");
		browser.screenshot(Path.of("target", "board-phone.png"));
	}

	private static void assertLegible(String scheme) {
		browser.prefer(scheme, true);
		assertThat(browser.paleTexts()).isEmpty();
		await().untilAsserted(() -> assertThat(browser.<Boolean>run(CHARTS_ARE_PAINTED)).isTrue());
	}

	private static void experiment(String name) {
		browser.find("[data-experiment='" + name + "']").click();
	}

	private static void awaitFree(String lock) {
		await().atMost(PATIENCE).until(() -> told(lock).isEmpty());
	}

	/** Lets a holder freeze, and waits until it has woken and written. */
	private static void freeze() {
		List<Long> before = tokens("FROZEN");
		experiment("freeze");
		await().atMost(PATIENCE).until(() -> !tokens("FROZEN").equals(before) && !tokens("REFUSED").isEmpty());
	}

	private static String text(String selector) {
		return browser.run("return document.querySelector(arguments[0])?.textContent ?? ''", selector);
	}

	/** What the page says of a lock. */
	private static List<String> shown(String lock) {
		return browser.<List<String>>run(LOCKS)
			.stream()
			.filter((line) -> line.split(" ")[2].equals(lock))
			.sorted()
			.toList();
	}

	/** What the instances' endpoints say of a lock, in the same words. */
	private static List<String> told(String lock) {
		return Stream.of(north, south)
			.flatMap((instance) -> Stream.concat(told(instance, lock, "held", "owner", "fencingToken", "watchdog"),
					told(instance, lock, "waiting", "owner", "position")))
			.sorted()
			.toList();
	}

	@SuppressWarnings("unchecked")
	private static Stream<String> told(Instance instance, String lock, String state, String... facts) {
		return ((List<Map<String, Object>>) instance.get("/actuator/locks").get(state)).stream()
			.filter((entry) -> lock.equals(entry.get("name")))
			.map((entry) -> Stream.of(facts)
				.map((fact) -> String.valueOf(entry.get(fact)))
				.reduce("%s %s %s".formatted(state, instance.bean(SampleProperties.class).instance(), lock),
						(line, fact) -> line + " " + fact));
	}

	private static long renewalsSeen(String lock) {
		return browser.<Long>run(
				"""
						return Number(document.querySelector(`[data-lock="${arguments[0]}"] .holder`)?.dataset.renewals ?? 0)""",
				lock);
	}

	/** The tokens in the story of the latest holder that froze. */
	private static List<Long> tokens(String kind) {
		return browser.<List<String>>run(
				"""
						return [...document.querySelectorAll(`#fencing [data-kind="${arguments[0]}"]`)].map((node) => node.dataset.token)""",
				kind)
			.stream()
			.map(Long::valueOf)
			.toList();
	}

	private static boolean happened(String lock, String kind) {
		return browser.<Boolean>run(
				"""
						return !!document.querySelector(`#events [data-lock="${arguments[0]}"][data-kind="${arguments[1]}"]`)""",
				lock, kind);
	}

	/** How many durations a histogram counts, by its description. */
	private static long counted(String histogram) {
		return browser.<Long>run("""
				return [...document.getElementById(arguments[0]).ariaLabel.matchAll(/(\\d+) (?:under|longer)/g)]
					.reduce((sum, [, count]) => sum + Number(count), 0)""", histogram);
	}

	@SuppressWarnings("unchecked")
	private static long metered(Instance instance, String meter) {
		List<Map<String, Object>> measurements = (List<Map<String, Object>>) instance
			.get("/actuator/metrics/distributed.lock." + meter)
			.get("measurements");
		return new BigDecimal(String.valueOf(measurements.get(0).get("value"))).longValue();
	}

	private static int freePort() throws IOException {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
	}

	private static void close(AutoCloseable resource) {
		try {
			resource.close();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
