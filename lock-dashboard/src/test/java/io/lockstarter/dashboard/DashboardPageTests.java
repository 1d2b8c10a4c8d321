package io.lockstarter.dashboard;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.fresh.FreshApplication;
import io.lockstarter.testing.ChildJvm;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The page in a browser, with two instances of an application that has the dependency and
 * says nothing about it.
 */
@EnabledIf(value = "io.lockstarter.dashboard.Browser#isAvailable",
		disabledReason = "There is no Chromium with a driver")
class DashboardPageTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final Pattern PORT = Pattern.compile("Ready on port (\\d+)");

	/** What an application with this dependency would not have beside it. */
	private static final Pattern OF_TESTS = Pattern
		.compile("spring-security|webflux|reactor-netty|junit|assertj|mockito|selenium|spring-boot-(starter-)?test");

	/** Keeps in mind what the page has ever said of a lock that nobody may share. */
	private static final String WATCH = """
			window.most = 0;
			new MutationObserver(() => {
				window.most = Math.max(window.most, document.querySelectorAll("[data-lock='order:42'] .holder").length);
			}).observe(document.body, { subtree: true, childList: true });
			""";

	private static final String OVERFLOWING = """
			return [...document.querySelectorAll("body *")]
				.filter((node) => node.checkVisibility() && !node.closest(".unseen, thead") && node.getBoundingClientRect().right > innerWidth + 1)
				.map((node) => node.outerHTML.slice(0, 200));
			""";

	private static final int CROWD = 200;

	private static final String LONG_TASKS = """
			window.longest = 0;
			new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => {
				window.longest = Math.max(window.longest, duration);
			})).observe({ type: "longtask" });
			""";

	@TempDir
	Path directory;

	private RedisServer redis;

	private ChildJvm north;

	private ChildJvm south;

	private Browser browser;

	@BeforeEach
	void start() throws Exception {
		this.redis = RedisServer.start();
		this.north = start("north");
		this.south = start("south");
		String address = address(this.north);
		address(this.south);
		this.browser = Browser.start(this.directory.resolve("browser"));
		this.browser.size(1200, 900);
		this.browser.open(address + "/distributed-locks/");
		this.browser.run(WATCH);
	}

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable resource : Stream.of(this.browser, this.north, this.south, this.redis)
			.filter(Objects::nonNull)
			.toList()) {
			resource.close();
		}
	}

	@Test
	void tellsTheTruthWhateverHappens() {
		awaitStatus("live", "Live, as north sees it.");
		await().atMost(PATIENCE).until(() -> none().equals("Nobody holds a lock."));
		contention();
		looks();
		releasesByKeyboardAlone();
		redisFallsSilent();
		pageIsCutOff();
		redisIsLeftAloneWhileNobodyLooks();
		assertThat(this.browser.complaints()).isEmpty();
	}

	@Test
	@Tag("stress")
	void staysQuickWithManyLocks() {
		awaitStatus("live", "Live, as north sees it.");
		this.browser.run(LONG_TASKS);
		this.south.send("crowd %d 0".formatted(CROWD));
		await().atMost(PATIENCE).until(() -> text("#held").equals(String.valueOf(CROWD)));
		this.north.send("crowd %d %d".formatted(CROWD, CROWD * 10));
		await().atMost(PATIENCE).until(() -> text("#waiting-hint").contains(CROWD * 10 + " requests on this one"));
		assertThat(this.browser.<Number>run("return document.querySelectorAll('#rows > tr').length").intValue())
			.isEqualTo(CROWD);
		this.browser.run("window.longest = 0");
		await().atMost(PATIENCE)
			.during(Duration.ofSeconds(5))
			.until(() -> this.browser.<Number>run("return window.longest").longValue(), (longest) -> longest < 100);
	}

	private void contention() {
		this.south.send("hold order:42 packer");
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(holders("order:42")).singleElement()
				.asString()
				.startsWith("south packer")
				.contains("lease ends in"));
		this.north.send("hold order:42 shipper");
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(text("[data-lock='order:42'] .waiters"))
				.startsWith("1 instance waits; on this one shipper for "));
		assertThat(text("#held")).isEqualTo("1");
		assertThat(text("#waiting")).isEqualTo("1");
		this.south.kill();
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(holders("order:42")).singleElement()
				.asString()
				.startsWith("north shipper")
				.contains("renewed while held"));
		await().atMost(PATIENCE).until(() -> text("[data-lock='order:42'] .waiters").equals("nobody"));
		assertThat(this.browser.<Long>run("return window.most")).as("holders at a time").isEqualTo(1);
	}

	private void looks() {
		for (String scheme : List.of("dark", "light")) {
			this.browser.prefer(scheme, true);
			assertThat(this.browser.paleTexts()).as(scheme).isEmpty();
			for (int width : List.of(390, 1200)) {
				this.browser.size(width, 900);
				this.browser.screenshot(Path.of("target", "page-%s-%d.png".formatted(scheme, width)));
				assertThat(this.browser.<List<String>>run(OVERFLOWING)).as("%d pixels", width).isEmpty();
				assertThat(this.browser.<Boolean>run(
						"return document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
					.isTrue();
			}
		}
		this.browser.find("#text").sendKeys("nothing");
		await().atMost(PATIENCE).until(() -> none().equals("None of 1 lock passes the filter."));
		this.browser.find("#text").clear();
		this.browser.find("#text").sendKeys("SHIP");
		await().atMost(PATIENCE).until(() -> !holders("order:42").isEmpty());
		this.browser.find("#text").clear();
	}

	private void releasesByKeyboardAlone() {
		this.north.send("hold order:43 taker");
		await().atMost(PATIENCE).until(() -> !holders("order:43").isEmpty());
		this.browser.run("document.querySelector(\"[data-lock='order:43'] .name\").focus()");
		this.browser.press(Keys.ENTER);
		assertThat(text("#drawer-title")).isEqualTo("order:43");
		await().atMost(PATIENCE).until(() -> text("#drawer-commands").contains("jcmd PID Thread.print"));
		this.browser.screenshot(Path.of("target", "page-drawer.png"));
		this.browser.run("document.querySelector('#release-ask').focus()");
		this.browser.press(Keys.ENTER);
		assertThat(this.browser.<String>run("return document.activeElement.id")).as("the harmless one")
			.isEqualTo("release-cancel");
		assertThat(text("#drawer-said")).isEmpty();
		this.browser.press(Keys.chord(Keys.SHIFT, Keys.TAB));
		this.browser.press(Keys.ENTER);
		await().atMost(PATIENCE).until(() -> text("#drawer-said").equals("Taken away from north/taker."));
		await().atMost(PATIENCE).until(() -> text("#drawer-troubles").contains("lost the lock"));
		this.browser.press(Keys.ESCAPE);
		assertThat(this.browser.<String>run("return document.activeElement.textContent")).isEqualTo("order:43");
		await().atMost(PATIENCE).until(() -> text("#lost").equals("1"));
		assertThat(text("[data-lock='order:43'] .trouble")).isEqualTo("lost lately");
	}

	private void redisFallsSilent() {
		this.redis.stop();
		awaitStatus("redis-down", "What it holds itself is true now");
		assertThat(text("#status")).startsWith("north ");
		assertThat(holders("order:42")).singleElement().asString().startsWith("north shipper");
		this.redis.resume();
		awaitStatus("live", "Live, as north sees it.");
		this.redis.kill();
		awaitStatus("redis-down", "north cannot reach Redis");
		this.browser.screenshot(Path.of("target", "page-redis-down.png"));
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(text("[data-lock='order:42'] .trouble")).contains("lost lately"));
		assertThat(none()).isNotEqualTo("Nobody holds a lock.");
		this.redis.restart();
		awaitStatus("live", "Live, as north sees it.");
	}

	private void pageIsCutOff() {
		this.north.send("hold order:44 keeper");
		await().atMost(PATIENCE).until(() -> !holders("order:44").isEmpty());
		this.north.stop();
		awaitStatus("cut-off", "This page is cut off: north has not answered it since ");
		assertThat(text("#status")).contains("What is shown is from ");
		assertThat(this.browser.<String>run("return document.querySelector('#main').dataset.instance"))
			.isEqualTo("false");
		assertThat(none()).isNotEqualTo("Nobody holds a lock.");
		assertThat(holders("order:44")).singleElement()
			.asString()
			.startsWith("north keeper was held for ")
			.contains("unless it was renewed");
		String hold = text("#longest-hold");
		await().atMost(PATIENCE).during(Duration.ofSeconds(2)).until(() -> text("#longest-hold").equals(hold));
		this.browser.screenshot(Path.of("target", "page-cut-off.png"));
		assertThat(this.browser.paleTexts()).isEmpty();
		this.north.resume();
		awaitStatus("live", "Live, as north sees it.");
	}

	private void redisIsLeftAloneWhileNobodyLooks() {
		this.browser.run("Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })");
		await().atMost(PATIENCE).during(Duration.ofSeconds(3)).until(this::calls, new Unchanged());
		this.browser.run("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))");
		long before = calls();
		awaitStatus("live", "Live, as north sees it.");
		await().atMost(PATIENCE).until(() -> calls() > before);
	}

	/** How many scripts and searches Redis has run. */
	private long calls() {
		return Stream.of("evalsha", "eval", "fcall", "scan").mapToLong(this.redis::commandCalls).sum();
	}

	private void awaitStatus(String state, String text) {
		await().atMost(PATIENCE).untilAsserted(() -> {
			assertThat(text("#status")).contains(text);
			assertThat(this.browser.find("#status").getDomAttribute("data-state")).isEqualTo(state);
		});
	}

	private String none() {
		return text("#none");
	}

	private String text(String selector) {
		return this.browser.text(selector);
	}

	private List<String> holders(String lock) {
		return this.browser.run("return [...document.querySelectorAll(`[data-lock='${arguments[0]}'] .holder`)]"
				+ ".map((node) => [...node.children].map((child) => child.textContent).join(' '))", lock);
	}

	private ChildJvm start(String instance) {
		String classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> !OF_TESTS.matcher(new File(entry).getName()).find())
			.collect(Collectors.joining(File.pathSeparator));
		return ChildJvm.start(List.of("-XX:TieredStopAtLevel=1", "-cp", classPath), FreshApplication.class,
				"--server.port=0", "--spring.data.redis.host=" + this.redis.host(),
				"--spring.data.redis.port=" + this.redis.port(), "--spring.data.redis.timeout=1s",
				"--distributed-lock.instance=" + instance, "--distributed-lock.lease-time=6s",
				"--distributed-lock.endpoint.force-release=true", "--management.endpoint.locks.access=unrestricted");
	}

	private static String address(ChildJvm application) {
		Matcher port = PORT.matcher(application.awaitLine((line) -> PORT.matcher(line).find(), PATIENCE));
		assertThat(port.find()).isTrue();
		return "http://localhost:" + port.group(1);
	}

	/**
	 * Whether a number is what it was the last time.
	 */
	private static final class Unchanged implements Predicate<Long> {

		private long last = -1;

		@Override
		public boolean test(Long number) {
			boolean same = number == this.last;
			this.last = number;
			return same;
		}

	}

}
