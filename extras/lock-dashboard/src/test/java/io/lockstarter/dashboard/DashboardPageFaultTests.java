package io.lockstarter.dashboard;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.lockstarter.browser.Accessibility;
import io.lockstarter.testing.CommandStats;
import io.lockstarter.testing.Liveness;
import io.lockstarter.testing.Needs;
import io.lockstarter.testing.Tool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.lockstarter.dashboard.PageStage.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Stress tests of the page in a browser: the time until it shows a fault, several
 * registries, 10,000 locks, and the number of commands.
 */
@Tag("stress")
@Needs(Tool.BROWSER)
class DashboardPageFaultTests {

	/** Time limit from an event until the page shows it. */
	private static final Duration LIMIT = Duration.ofSeconds(4);

	/** Script that records all headlines of the page. */
	private static final String TITLES = """
			window.titles = new Set();
			const note = () => window.titles.add(document.querySelector("#title").textContent);
			new MutationObserver(note).observe(document.querySelector("#title"),
				{ childList: true, characterData: true, subtree: true });
			document.addEventListener("visibilitychange", () => setTimeout(note, 1000));
			""";

	@TempDir
	Path directory;

	private PageStage stage;

	@BeforeEach
	void open() {
		this.stage = new PageStage(this.directory);
	}

	@AfterEach
	void close() throws Exception {
		this.stage.close();
	}

	@Test
	void showsFaultsWithinFourSeconds() throws Exception {
		PageStage.Instance north = this.stage.start("north");
		PageStage.Instance south = this.stage.start("south", "--distributed-lock.lease-time=20s");
		assertThat(south.port()).isPositive();
		this.stage.open(north);
		south.hold("order:42", "packer");
		this.stage.awaitHolder("order:42", "south packer");
		within("Redis full", "#title", "Redis refuses writes",
				() -> this.stage.redis().cli("CONFIG", "SET", "maxmemory", "1"),
				() -> this.stage.redis().cli("CONFIG", "SET", "maxmemory", "0"));
		within("no messages", "#title", "Waiting is slower: Redis delivers no messages",
				() -> this.stage.redis().cli("ACL", "SETUSER", "default", "resetchannels"),
				() -> this.stage.redis().cli("ACL", "SETUSER", "default", "allchannels"));
		this.stage.awaitHolder("order:42", "south packer");
		within("holder paused", "#title", "south does not reply", () -> south.jvm().stop(), () -> south.jvm().resume());
		await().atMost(PATIENCE).until(() -> this.stage.instance("south").contains("Running"));
		within("Redis paused", "#title", "Redis does not reply", () -> this.stage.redis().stop(),
				() -> this.stage.redis().resume());
		within("page's instance paused", "#title", "This page is cut off", () -> north.jvm().stop(),
				() -> north.jvm().resume());
		within("Redis killed", "#title", "Redis does not reply", () -> this.stage.redis().kill(),
				() -> this.stage.redis().restart());
		south.hold("order:43", "next");
		await().atMost(PATIENCE).until(() -> this.stage.cell("order:43", "holder"), "south next"::equals);
		Duration killed = measure("#instance-rows", "No reply since ", () -> south.jvm().kill());
		report("holder killed", killed);
		assertThat(killed).isLessThan(LIMIT);
		this.stage.awaitText("[data-lock='order:43'] .holder", "south next, does not reply");
		this.stage.awaitGone("order:43");
	}

	private void within(String what, String selector, String text, Runnable fault, Runnable end) throws Exception {
		Liveness.within(what, LIMIT, () -> {
			Duration time = measure(selector, text, fault);
			end.run();
			await().atMost(PATIENCE).until(() -> !this.stage.text(selector).contains(text));
			report(what, time);
			return time;
		});
	}

	private Duration measure(String selector, String text, Runnable fault) {
		long begun = System.nanoTime();
		fault.run();
		await().atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(50))
			.until(() -> this.stage.text(selector).contains(text));
		return Duration.ofNanos(System.nanoTime() - begun);
	}

	private static void report(String what, Duration time) {
		System.out.printf("[dashboard] %s: on the page after %s ms%n", what, time.toMillis());
	}

	@Test
	void marksOutdatedInformation() throws Exception {
		PageStage.Instance north = this.stage.start("north");
		PageStage.Instance south = this.stage.start("south");
		assertThat(south.port()).isPositive();
		this.stage.open(north);
		reconnectsWhenPageIsVisibleAgain();
		marksOutdatedLocksWhileRedisIsDown(north);
		marksPageThatIsCutOff(north);
		assertThat(this.stage.browser().complaints()).isEmpty();
	}

	/** The page is hidden for longer than it takes to count as cut off. */
	private void reconnectsWhenPageIsVisibleAgain() {
		this.stage.run(TITLES);
		this.stage.run("Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })");
		long hidden = System.nanoTime();
		await().atMost(PATIENCE).until(() -> System.nanoTime() - hidden > LIMIT.multipliedBy(2).toNanos());
		this.stage.run("window.titles.clear()");
		this.stage.run("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))");
		await().atMost(PATIENCE)
			.until(() -> this.stage.<List<String>>run("return [...window.titles]").contains("All well"));
		assertThat(this.stage.<List<String>>run("return [...window.titles]")).isSubsetOf("Reconnecting…", "All well");
	}

	private void marksOutdatedLocksWhileRedisIsDown(PageStage.Instance north) throws Exception {
		north.hold("order:45", "keeper");
		this.stage.awaitHolder("order:45", "north keeper");
		this.stage.redis().kill();
		this.stage.awaitHeadline("BAD", "Redis does not reply");
		this.stage.screenshot("redis-down");
		assertThat(Accessibility.violations(this.stage.browser())).as("Redis is down").isEmpty();
		assertThat(this.stage.instance("south").get(1)).startsWith("Last report at ");
		await().atMost(PATIENCE).until(() -> this.stage.cell("order:45", "problem").contains("Lost "));
		this.stage.redis().restart();
		this.stage.awaitHeadline("BAD", "lost in the last 5 minutes");
	}

	private void marksPageThatIsCutOff(PageStage.Instance north) {
		north.jvm().stop();
		this.stage.awaitHeadline("BAD", "This page is cut off");
		assertThat(this.stage.text("#detail"))
			.startsWith("north does not reply. The page shows the locks as they were at ");
		assertThat(this.stage.text("#updated")).startsWith("Not updated since ");
		this.stage.screenshot("cut-off");
		assertThat(Accessibility.violations(this.stage.browser())).as("cut off").isEmpty();
		assertThat(this.stage.browser().paleTexts()).isEmpty();
		north.jvm().resume();
		this.stage.awaitHeadline("BAD", "lost in the last 5 minutes");
	}

	@Test
	void showsNextHolderIfHolderIsSuspended() {
		PageStage.Instance north = this.stage.start("north");
		PageStage.Instance south = this.stage.start("south");
		assertThat(south.port()).isPositive();
		this.stage.open(north);
		south.hold("order:42", "packer");
		this.stage.awaitHolder("order:42", "south packer");
		north.hold("order:42", "shipper");
		await().atMost(PATIENCE).until(() -> this.stage.cell("order:42", "waiting"), "1"::equals);
		south.jvm().stop();
		this.stage.awaitHolder("order:42", "north shipper");
		this.stage.awaitHeadline("WARNING", "south does not reply");
		assertThat(this.stage.text("#held")).isEqualTo("1");
		south.jvm().resume();
		this.stage.awaitHeadline("BAD", "1 lock was lost in the last 5 minutes");
		assertThat(this.stage.text("#incident-rows")).contains("south").contains("packer");
		assertThat(this.stage.cell("order:42", "holder")).isEqualTo("north shipper");
	}

	@Test
	void continuesWhenItsInstanceRestarts() {
		PageStage.Instance north = this.stage.start("north");
		PageStage.Instance south = this.stage.start("south");
		this.stage.open(north);
		south.hold("order:42", "packer");
		this.stage.awaitHolder("order:42", "south packer");
		north.jvm().kill();
		this.stage.awaitHeadline("BAD", "This page is cut off");
		assertThat(this.stage.cell("order:42", "holder")).isEqualTo("south packer");
		south.free("packer");
		PageStage.Instance again = this.stage.start("north", north.port());
		assertThat(again.port()).isEqualTo(north.port());
		this.stage.awaitWell();
		this.stage.awaitGone("order:42");
		assertThat(this.stage.text("#lost")).isEqualTo("0");
	}

	@Test
	void showsOneRegistryAtATime() {
		String[] two = { "--distributed-lock.registries.billing.key-prefix=billing:",
				"--distributed-lock.registries.billing.connection-factory=redisConnectionFactory" };
		PageStage.Instance north = this.stage.start("north", two);
		PageStage.Instance south = this.stage.start("south", two);
		this.stage.open(north);
		assertThat(south.port()).isPositive();
		south.hold("order:42", "packer");
		south.hold("invoice:7", "clerk", "billing");
		this.stage.awaitHolder("order:42", "south packer");
		assertThat(this.stage.text("#registry")).isEqualTo("defaultbilling");
		assertThat(this.stage.cell("invoice:7", "holder")).isEmpty();
		this.stage.browser().find("#registry").sendKeys("billing");
		this.stage.awaitHolder("invoice:7", "south clerk");
		assertThat(this.stage.cell("order:42", "holder")).isEmpty();
		north.hold("invoice:7", "auditor", "billing");
		await().atMost(PATIENCE).until(() -> this.stage.cell("invoice:7", "waiting"), "1"::equals);
		this.stage.browser().find("[data-lock='invoice:7'] .name").click();
		await().atMost(PATIENCE).until(() -> this.stage.browser().find("#release-ask").isDisplayed());
		this.stage.browser().find("#release-ask").click();
		this.stage.browser().find("#release-do").click();
		this.stage.awaitText("#drawer-result", "Released. The holder was south/clerk.");
		this.stage.browser().find("#close").click();
		this.stage.awaitHolder("invoice:7", "north auditor");
		this.stage.browser().find("#registry").sendKeys("default");
		this.stage.awaitHolder("order:42", "south packer");
	}

	@Test
	void keepsBrowserMostlyIdleWithTenThousandLocks() {
		PageStage.Instance north = this.stage.start("north", "--distributed-lock.lease-time=5m");
		PageStage.Instance south = this.stage.start("south", "--distributed-lock.lease-time=5m");
		assertThat(south.port()).isPositive();
		south.jvm().send("crowd 10000 0");
		this.stage.browser().open("http://localhost:" + north.port() + "/distributed-locks/");
		this.stage.awaitText("#range", "1–50 of 10,000");
		this.stage.browser().find("#text").sendKeys("crowd:9871");
		this.stage.awaitText("#range", "1 lock of 10,000");
		this.stage.browser().find("#text").clear();
		this.stage.browser().find("#text").sendKeys("crowd");
		this.stage.awaitText("#range", "1–50 of 10,000");
		double before = this.stage.browser().busySeconds();
		long begun = System.nanoTime();
		await().atMost(PATIENCE)
			.pollInterval(Duration.ofSeconds(1))
			.until(() -> System.nanoTime() - begun > Duration.ofSeconds(10).toNanos());
		double share = (this.stage.browser().busySeconds() - before) / ((System.nanoTime() - begun) / 1e9);
		System.out.printf("[dashboard] the browser is busy for %.1f %% of the time with 10000 locks%n", share * 100);
		assertThat(share).isLessThan(0.2);
	}

	@Test
	void sendsFewCommandsToRedis() {
		List<PageStage.Instance> instances = Stream.of("north", "south", "east")
			.map((name) -> this.stage.start(name, "--distributed-lock.lease-time=10m"))
			.toList();
		List<WebClient> clients = instances.stream()
			.map((instance) -> new WebClient("http://localhost:" + instance.port()))
			.toList();
		instances.get(1).jvm().send("crowd 1000 0");
		await().atMost(PATIENCE)
			.until(() -> clients.get(0).get("/distributed-locks/api/view").json().get("matching"),
					Integer.valueOf(1000)::equals);
		commandsAMinute("one page", clients.subList(0, 1));
		assertThat(commandsAMinute("five pages on three instances",
				List.of(clients.get(0), clients.get(0), clients.get(1), clients.get(1), clients.get(2))))
			.isLessThanOrEqualTo(200);
	}

	/** Counts the commands of a minute, including those that scripts call. */
	private long commandsAMinute(String what, List<WebClient> pages) {
		Runnable requestViews = () -> pages.forEach((page) -> page.get("/distributed-locks/api/view"));
		await().atMost(PATIENCE)
			.pollInterval(Duration.ofSeconds(1))
			.pollDelay(Duration.ZERO)
			.during(Duration.ofSeconds(8))
			.untilAsserted(requestViews::run);
		CommandStats before = this.stage.redis().stats();
		long begun = System.nanoTime();
		await().atMost(PATIENCE.multipliedBy(2))
			.pollInterval(Duration.ofSeconds(1))
			.during(Duration.ofSeconds(60))
			.untilAsserted(requestViews::run);
		CommandStats delta = this.stage.redis().stats().minus(before);
		long commands = Math.round(delta.total() * 60e9 / (System.nanoTime() - begun));
		System.out.printf("[dashboard] 1000 locks, %s: %s commands a minute %s%n", what, commands, delta.calls());
		return commands;
	}

}
