package io.lockstarter.dashboard;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

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
 * What the page shows while instances end, stand still or come back, with two registries,
 * and with many locks.
 */
@Tag("stress")
@Needs(Tool.BROWSER)
class DashboardPageFaultTests {

	private static final int CROWD = 200;

	private static final String LONG_TASKS = """
			window.longest = 0;
			new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => {
				window.longest = Math.max(window.longest, duration);
			})).observe({ type: "longtask" });
			""";

	private static final String PAINTS = """
			return new Promise((resolve) => new PerformanceObserver((list) => resolve({
				first: performance.getEntriesByName("first-contentful-paint")[0].startTime,
				largest: list.getEntries().at(-1).startTime,
			})).observe({ type: "largest-contentful-paint", buffered: true }));
			""";

	/** Keeps in mind what the page has ever said of a lock that nobody may share. */
	private static final String WATCH = """
			window.most = 0;
			new MutationObserver(() => {
				const holders = [...document.querySelectorAll("[data-lock='order:42'] .holder:not(.stale)")];
				window.most = Math.max(window.most, holders.length);
			}).observe(document.body, { subtree: true, childList: true, attributes: true });
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
	void tellsThatAnInstanceStandsStill() {
		PageStage.Instance north = this.stage.start("north");
		PageStage.Instance south = this.stage.start("south");
		this.stage.open(north);
		this.stage.browser().run(WATCH);
		this.stage.meet(north, south);
		south.hold("order:42", "packer");
		this.stage.awaitHolder("order:42", "south packer held for ");
		north.hold("order:42", "shipper");
		this.stage.awaitText("[data-lock='order:42'] .waiters", "1 instance waits; on this one shipper for ");
		south.jvm().stop();
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.stage.instance("south").get(0)).startsWith("south silent since "));
		this.stage.awaitHolder("order:42", "north shipper held for ");
		this.stage.awaitLive(north);
		assertThat(this.stage.text("#held")).isEqualTo("1");
		south.jvm().resume();
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.stage.instance("south")).startsWith("south", "1.2.3").endsWith("1"));
		this.stage.awaitText("#lost-hint", "by 2 instances");
		assertThat(this.stage.text("#lost")).isEqualTo("1");
		assertThat(this.stage.<Long>run("return window.most")).as("holders at a time").isEqualTo(1);
	}

	@Test
	void showsAnInstanceThatOnlyRedisKnows() {
		PageStage.Instance north = this.stage.start("north");
		PageStage.Instance quiet = this.stage.start("quiet");
		this.stage.open(north);
		assertThat(quiet.port()).isPositive();
		quiet.hold("order:42", "packer");
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.stage.instance("quiet")).containsExactly(
					"quiet tells nothing of itself; Redis knows what it holds", "not told", "not told", "1", "not told",
					"not told"));
		quiet.free("packer");
		await().atMost(PATIENCE).until(() -> this.stage.instance("quiet").isEmpty());
	}

	@Test
	void goesOnWhenItsInstanceIsStartedAgain() {
		PageStage.Instance north = this.stage.start("north");
		PageStage.Instance south = this.stage.start("south");
		this.stage.open(north);
		south.hold("order:42", "packer");
		this.stage.awaitHolder("order:42", "south packer held for ");
		north.jvm().kill();
		this.stage.awaitStatus("cut-off", "This page is cut off: north has not answered it since ");
		assertThat(this.stage.text("#status")).contains("What is shown is from ");
		this.stage.awaitHolder("order:42", "south packer was held for ");
		south.free("packer");
		PageStage.Instance again = this.stage.start("north", north.port());
		assertThat(again.port()).isEqualTo(north.port());
		this.stage.awaitLive(again);
		await().atMost(PATIENCE).until(() -> this.stage.none().equals("Nobody holds a lock."));
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
		assertThat(this.stage.holders("invoice:7")).isEmpty();
		this.stage.browser().find("#registry").sendKeys("billing");
		this.stage.awaitHolder("invoice:7", "south clerk");
		assertThat(this.stage.holders("order:42")).isEmpty();
		north.hold("invoice:7", "auditor", "billing");
		this.stage.awaitText("[data-lock='invoice:7'] .waiters", "1 instance waits; on this one auditor for ");
		this.stage.browser().find("[data-lock='invoice:7'] .name").click();
		this.stage.awaitText("#drawer-commands", "registry=billing");
		this.stage.browser().find("#release-ask").click();
		this.stage.browser().find("#release-do").click();
		this.stage.awaitText("#drawer-said", "Taken away from south/clerk.");
		this.stage.browser().find("#close").click();
		this.stage.awaitHolder("invoice:7", "north auditor");
		this.stage.browser().find("#registry").sendKeys("default");
		this.stage.awaitHolder("order:42", "south packer");
		assertThat(Accessibility.violations(this.stage.browser())).isEmpty();
	}

	@Test
	void staysQuickWithManyLocks() {
		PageStage.Instance north = this.stage.start("north");
		PageStage.Instance south = this.stage.start("south");
		this.stage.open(north);
		assertThat(south.port()).isPositive();
		south.jvm().send("crowd %d 0".formatted(CROWD));
		await().atMost(PATIENCE).until(() -> this.stage.text("#held").equals(String.valueOf(CROWD)));
		north.jvm().send("crowd %d %d".formatted(CROWD, CROWD * 10));
		this.stage.awaitText("#waiting-hint", CROWD * 10 + " requests on this one");
		this.stage.open(north);
		this.stage.browser().run(LONG_TASKS);
		this.stage.awaitText("#waiting-hint", CROWD * 10 + " requests on this one");
		assertThat(this.stage.<Number>run("return document.querySelectorAll('#rows > tr').length").intValue())
			.isEqualTo(CROWD);
		Map<String, Number> paints = this.stage.run(PAINTS);
		System.out.printf("[dashboard] first paint with %d locks and %d waiting after %d ms, the largest after %d ms%n",
				CROWD, CROWD * 10, paints.get("first").longValue(), paints.get("largest").longValue());
		this.stage.run("window.longest = 0");
		await().atMost(PATIENCE)
			.during(Duration.ofSeconds(5))
			.until(() -> this.stage.<Number>run("return window.longest").longValue(), (longest) -> longest < 100);
	}

}
