package io.lockstarter.dashboard;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

import io.lockstarter.browser.Accessibility;
import io.lockstarter.testing.Needs;
import io.lockstarter.testing.Tool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

import static io.lockstarter.dashboard.PageStage.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of the page in a browser, with two instances of an application that has the
 * dependency without further configuration.
 */
@Needs(Tool.BROWSER)
class DashboardPageTests {

	/**
	 * Script that records the highest number of used permits and all headlines.
	 */
	private static final String WATCH = """
			window.permits = 0;
			window.titles = new Set();
			new MutationObserver(() => {
				const type = document.querySelector("[data-lock='render'] .type")?.textContent ?? "";
				window.permits = Math.max(window.permits, Number(type.match(/^(\\d+) of 4 permits$/)?.[1] ?? 0));
				window.titles.add(document.querySelector("#title").textContent);
			}).observe(document.body, { subtree: true, childList: true, characterData: true });
			""";

	/** Script that measures how far rows move. */
	private static final String SHIFTS = """
			window.shift = 0;
			new PerformanceObserver((list) => list.getEntries().forEach((entry) => {
				window.shift += entry.value;
			})).observe({ type: "layout-shift" });
			""";

	/**
	 * Script that returns the labels of a sparkline after given times in milliseconds.
	 */
	private static final String SPARKLINE = """
			const now = performance.now;
			return import(new URL("sparkline.js", location.href).href).then(({ Sparkline }) => {
				let time;
				performance.now = () => time;
				const parent = document.createElement("div");
				const line = new Sparkline(parent, "Figure", String);
				return [0, 30_000, 61_000, 301_000].map((passed) => {
					time = passed;
					line.add(1);
					return parent.querySelector(".span").textContent;
				});
			}).finally(() => (performance.now = now));
			""";

	private static final String DURATION = """
			return import(new URL("words.js", location.href).href).then(({ duration }) => duration(arguments[0]));
			""";

	/** Script that returns the texts in the tiles that have too little room. */
	private static final String CUT_TEXTS = """
			return [...document.querySelectorAll(".tile :is(dt, .value, .hint)")]
				.filter((node) => node.scrollWidth > node.clientWidth)
				.map((node) => node.textContent);
			""";

	private static final int CROWD = 120;

	@TempDir
	Path directory;

	private PageStage stage;

	private PageStage.Instance north;

	private PageStage.Instance south;

	@Test
	void showsStateOfLocksAndInstances() throws Exception {
		try (PageStage opened = new PageStage(this.directory)) {
			this.stage = opened;
			this.north = opened.start("north");
			this.south = opened.start("south");
			assertThat(this.south.port()).isPositive();
			opened.open(this.north);
			opened.run(WATCH);
			listsInstancesThatNeverWaited();
			labelsSparklines();
			formatsDurationsLikeTheServer();
			countsWaitingRequests();
			showsThreadAfterHandOver();
			countsPermits();
			pausesByKeyboard();
			releasesByForceByKeyboard();
			keepsRowsUnderPointer();
			filtersAndSortsManyLocks();
			isAccessibleAndFitsOnScreen();
			hidesColumns();
			asksToLogInAgain();
			showsThatRedisIsFull();
			showsThatMessagesAreRefused();
			assertThat(opened.browser().complaints()).isEmpty();
		}
	}

	private void listsInstancesThatNeverWaited() {
		await().atMost(PATIENCE).until(() -> this.stage.instance("south").contains("Running"));
		assertThat(this.stage.instance("north")).startsWith("north", "Serves this page", "1.2.3");
		assertThat(this.stage.instance("south")).startsWith("south", "Running", "1.2.3");
		assertThat(this.stage.none()).isEqualTo("Nobody holds a lock or waits for one.");
		this.stage.awaitText("#held-line title", "between 0 and 0");
	}

	private void labelsSparklines() {
		assertThat(this.stage.<List<String>>run(SPARKLINE)).containsExactly("collecting…", "collecting…", "2 min",
				"5 min");
	}

	private void formatsDurationsLikeTheServer() {
		for (long seconds : List.of(0L, 1L, 59L, 60L, 105L, 3599L, 3600L, 172_799L, 172_800L, 1_000_000L)) {
			assertThat(this.stage.browser().<String>run(DURATION, seconds * 1000 + 999))
				.isEqualTo(Words.duration(seconds * 1000 + 999));
		}
	}

	private void countsWaitingRequests() {
		this.south.hold("order:42", "packer");
		this.stage.awaitHolder("order:42", "south packer");
		this.north.hold("order:42", "shipper");
		this.south.hold("order:42", "second");
		await().atMost(PATIENCE).until(() -> this.stage.cell("order:42", "waiting"), "2"::equals);
		this.stage.awaitText("#waiting", "2");
		assertThat(this.stage.text("#waiting-hint")).isEqualTo("on 2 instances");
		assertThat(this.stage.text("#held")).isEqualTo("1");
		assertThat(this.stage.text("#detail")).isEqualTo("2 requests wait on 2 instances.");
		this.stage.browser().find("[data-lock='order:42'] .name").click();
		this.stage.awaitText("#drawer-now", "south, packer, has held the lock since ");
		this.stage.awaitText("#drawer-waits", "second for ");
		this.stage.awaitText("#drawer-waits", "shipper for ");
		assertThat(this.stage.text("#drawer-steps")).contains("jcmd PID Thread.print | grep -F -A 30 '\"packer\"'");
		this.stage.browser().press(Keys.ESCAPE);
		awaitFocus("order:42");
		leave();
		List.of("packer", "second").forEach(this.south::free);
		this.north.free("shipper");
		this.stage.awaitGone("order:42");
	}

	private void showsThreadAfterHandOver() {
		this.south.hold("order:50", "first");
		this.stage.awaitHolder("order:50", "south first");
		this.south.hold("order:50", "next");
		await().atMost(PATIENCE).until(() -> this.stage.cell("order:50", "waiting"), "1"::equals);
		this.south.free("first");
		this.stage.awaitHolder("order:50", "south next");
		assertThat(this.stage.cell("order:50", "waiting")).isEqualTo("0");
		assertThat(this.stage.cell("order:50", "wait")).isEqualTo("–");
		assertThat(this.stage.cell("order:50", "problem")).isEqualTo("OK");
		this.south.free("next");
		this.stage.awaitGone("order:50");
	}

	private void countsPermits() {
		List<String> painters = IntStream.range(0, 8).mapToObj((i) -> "painter-" + i).toList();
		painters.forEach((painter) -> this.south.share("render", painter, 4));
		await().atMost(PATIENCE).until(() -> this.stage.cell("render", "type"), "4 of 4 permits"::equals);
		await().atMost(PATIENCE).until(() -> this.stage.cell("render", "waiting"), "4"::equals);
		this.north.share("render", "other", 4);
		painters.forEach(this.south::free);
		this.stage.awaitHolder("render", "north other");
		assertThat(this.stage.cell("render", "type")).isEqualTo("1 of 4 permits");
		this.north.free("other");
		this.stage.awaitGone("render");
		assertThat(this.stage.<Long>run("return window.permits")).isEqualTo(4);
	}

	private void pausesByKeyboard() {
		this.south.hold("order:60", "worker");
		this.stage.awaitHolder("order:60", "south worker");
		this.stage.browser().run("document.querySelector('#pause').focus()");
		this.stage.browser().press(Keys.ENTER);
		this.stage.awaitHeadline("PAUSED", "Paused");
		String held = this.stage.cell("order:60", "held");
		assertThat(this.stage.text("#since")).matches("since [0-9:]{8}");
		assertThat(this.stage.text("#detail")).startsWith("The page shows the locks as they were at ");
		assertThat(this.stage.text("#updated")).startsWith("Not updated since ");
		assertThat(this.stage.<String>run("return document.title")).isEqualTo("Locks (paused)");
		assertThat(this.stage.text("#pause")).isEqualTo("Resume");
		this.stage.screenshot("paused");
		assertThat(Accessibility.violations(this.stage.browser())).as("paused").isEmpty();
		assertThat(this.stage.browser().paleTexts()).as("paused").isEmpty();
		this.south.free("worker");
		WebClient client = new WebClient("http://localhost:" + this.north.port());
		await().atMost(PATIENCE)
			.until(() -> client.get("/distributed-locks/api/view").json().get("matching"), Integer.valueOf(0)::equals);
		assertThat(this.stage.cell("order:60", "holder")).isEqualTo("south worker");
		assertThat(this.stage.cell("order:60", "held")).isEqualTo(held);
		showsRequestedRowsWhilePaused();
		this.stage.browser().run("document.querySelector('#pause').focus()");
		this.stage.browser().press(Keys.ENTER);
		this.stage.awaitWell();
		assertThat(this.stage.text("#pause")).isEqualTo("Pause");
	}

	/** A change of the order requires a request, after which the page is paused again. */
	private void showsRequestedRowsWhilePaused() {
		this.stage.browser().find("th[data-sort='name'] button").click();
		this.stage.awaitGone("order:60");
		this.stage.browser().find("th[data-sort='problem'] button").click();
		this.stage.awaitHeadline("PAUSED", "Paused");
		assertThat(this.stage.<Boolean>run("return document.querySelector('#drawer').open")).isFalse();
	}

	private void releasesByForceByKeyboard() {
		this.south.hold("order:43", "taker");
		this.stage.awaitHolder("order:43", "south taker");
		this.stage.browser().run("document.querySelector(`[data-lock='order:43'] .name`).focus()");
		this.stage.browser().press(Keys.ENTER);
		assertThat(this.stage.text("#drawer-title")).isEqualTo("order:43");
		await().atMost(PATIENCE).until(() -> this.stage.browser().find("#release-ask").isDisplayed());
		this.stage.screenshot("drawer");
		assertThat(Accessibility.violations(this.stage.browser())).as("drawer").isEmpty();
		this.stage.browser().run("document.querySelector('#release-ask').focus()");
		this.stage.browser().press(Keys.ENTER);
		assertThat(this.stage.browser().<String>run("return document.activeElement.id"))
			.as("focus on the harmless button")
			.isEqualTo("release-cancel");
		this.stage.browser().press(Keys.chord(Keys.SHIFT, Keys.TAB));
		this.stage.browser().press(Keys.ENTER);
		this.stage.awaitText("#drawer-result", "Released. The holder was south/taker.");
		this.stage.browser().press(Keys.ESCAPE);
		leave();
		// The lock was lost on another instance than the one that serves the page
		this.stage.awaitText("#incident-rows", "Lost the lock: it was force-released");
		assertThat(this.stage.text("#incident-rows tr")).contains("south").contains("order:43").contains("taker");
		this.stage.awaitText("#lost", "1");
		this.stage.awaitHeadline("WARNING", "1 lock was force-released in the last 5 minutes");
		assertThat(this.stage.cell("order:43", "problem")).startsWith("Force-released ");
	}

	private void keepsRowsUnderPointer() {
		for (String name : List.of("m:1", "m:2", "m:10")) {
			this.south.hold(name, "holder-" + name);
			this.stage.awaitHolder(name, "south holder-" + name);
		}
		assertThat(this.stage
			.<List<String>>run("return [...document.querySelectorAll('#rows tr')].map(({ dataset }) => dataset.lock)"))
			.containsExactly("order:43", "m:1", "m:2", "m:10");
		this.stage.run(SHIFTS);
		// The order also stays while the focus is in the table
		this.stage.run("document.activeElement.blur()");
		this.stage.browser().moveTo("[data-lock='m:2'] .name");
		Number before = top("m:2");
		for (String name : List.of("a:1", "m:1b", "z:1")) {
			this.south.hold(name, "holder-" + name);
		}
		this.south.free("holder-m:1");
		await().atMost(PATIENCE).until(() -> this.stage.cell("m:1", "holder"), "gone"::equals);
		this.stage.awaitHolder("a:1", "south holder-a:1");
		assertThat(top("m:2")).as("position of the row").isEqualTo(before);
		this.stage.browser().moveTo("h1");
		this.stage.awaitGone("m:1");
		await().atMost(PATIENCE).until(() -> top("a:1").doubleValue() < top("m:2").doubleValue());
		assertThat(this.stage.<Number>run("return window.shift").doubleValue()).as("layout shift").isLessThan(0.1);
		for (String name : List.of("m:2", "m:10", "a:1", "m:1b", "z:1")) {
			this.south.free("holder-" + name);
		}
		this.stage.awaitGone("z:1");
	}

	private Number top(String lock) {
		return this.stage.browser()
			.run("return document.querySelector(`[data-lock='${arguments[0]}']`).getBoundingClientRect().top", lock);
	}

	private void filtersAndSortsManyLocks() {
		this.south.jvm().send("crowd %s 0".formatted(CROWD));
		this.stage.awaitText("#range", "1–50 of 121");
		this.stage.browser().find("#next").click();
		this.stage.awaitText("#range", "51–100 of 121");
		awaitTask("crowd:77");
		this.stage.browser().find("#text").sendKeys("Crowd:113");
		this.stage.awaitText("#range", "1 lock of 121");
		awaitTask("crowd:113");
		assertThat(this.stage.<String>run("return location.search")).isEqualTo("?q=Crowd%3A113");
		this.stage.browser().find("#text").clear();
		this.stage.browser().find("#text").sendKeys("no such");
		await().atMost(PATIENCE).until(() -> this.stage.none().equals("None of 121 locks passes the filter."));
		this.stage.browser().find("#text").clear();
		this.stage.browser().find("#text").sendKeys(Keys.SPACE, Keys.BACK_SPACE);
		this.stage.awaitText("#range", "1–50 of 121");
		this.stage.browser().find("th[data-sort='name'] button").click();
		this.stage.browser().find("th[data-sort='name'] button").click();
		await().atMost(PATIENCE).until(() -> this.stage.text("#rows tr:nth-child(2) .name"), "crowd:119"::equals);
		assertThat(this.stage.browser().find("th[data-sort='name']").getDomAttribute("aria-sort"))
			.isEqualTo("descending");
		this.stage.browser().find("th[data-sort='problem'] button").click();
		await().atMost(PATIENCE).until(() -> this.stage.text("#rows .name"), "order:43"::equals);
	}

	/**
	 * Waits for the name of the holder's task, which is known once its instance has
	 * reported.
	 */
	private void awaitTask(String lock) {
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.stage.cell(lock, "holder")).startsWith("south task"));
	}

	private void isAccessibleAndFitsOnScreen() {
		for (String scheme : List.of("dark", "light")) {
			this.stage.browser().prefer(scheme, true);
			assertThat(this.stage.browser().paleTexts()).as(scheme).isEmpty();
			assertThat(Accessibility.violations(this.stage.browser())).as(scheme).isEmpty();
			// A window of 1280 pixels has 640 CSS pixels at 200 %
			for (int width : List.of(390, 640, 1000, 1280)) {
				this.stage.browser().size(width, 900);
				this.stage.screenshot("%s-%s".formatted(scheme, width));
				assertThat(this.stage.overflowing()).as("%s pixels", width).isEmpty();
				assertThat(this.stage.<List<String>>run(CUT_TEXTS)).as("%s pixels", width).isEmpty();
				assertThat(this.stage.browser()
					.<Boolean>run(
							"return document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
					.isTrue();
			}
		}
		assertThat(this.stage
			.<Number>run(
					"""
							return [...document.querySelectorAll("#rows tr")].filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length;
							""")
			.intValue()).as("locks on a screen of 1280 x 900").isGreaterThanOrEqualTo(25);
		assertThat(Accessibility.violationsWith(this.stage.browser(), "<img src='icon.svg'>")).as("planted violation")
			.singleElement()
			.asString()
			.startsWith("image-alt");
	}

	private void hidesColumns() {
		this.stage.browser().find(".toolbar summary").click();
		this.stage.browser().find("#columns input[value='lease']").click();
		assertThat(visibleColumns()).containsExactly("Lock", "Type", "Holder", "Held for", "Waiting", "Longest wait",
				"State");
		assertThat(this.stage.<Boolean>run(
				"return [...document.querySelectorAll('#rows .lease')].some((cell) => cell.checkVisibility())"))
			.isFalse();
		this.stage.screenshot("columns");
		assertThat(Accessibility.violations(this.stage.browser())).as("choice of columns").isEmpty();
		String address = this.stage.run("return location.href");
		assertThat(address).endsWith("?hide=lease");
		this.stage.browser().open(address);
		this.stage.awaitText("#range", "1–50 of 121");
		assertThat(visibleColumns()).hasSize(7).doesNotContain("Lease");
		this.stage.browser().find(".toolbar summary").click();
		this.stage.browser().find("#columns input[value='lease']").click();
		assertThat(visibleColumns()).hasSize(8).contains("Lease");
		assertThat(this.stage.<String>run("return location.search")).isEmpty();
	}

	private List<String> visibleColumns() {
		return this.stage.run("return [...document.querySelectorAll('#heads th')]"
				+ ".filter((head) => head.checkVisibility()).map((head) => head.textContent)");
	}

	/** The responses are those after the end of the session. */
	private void asksToLogInAgain() {
		this.stage.run("""
				window.originalFetch = window.fetch;
				window.fetch = () => Promise.resolve(new Response("", { status: 401 }));
				""");
		this.stage.awaitHeadline("BAD", "You are logged out");
		assertThat(this.stage.browser().find("#login").isDisplayed()).isTrue();
		this.stage.run("window.fetch = window.originalFetch");
		this.stage.open(this.north, "WARNING", "1 lock was force-released in the last 5 minutes");
		this.stage.run(WATCH);
	}

	private void showsThatRedisIsFull() {
		this.stage.redis().cli("CONFIG", "SET", "maxmemory", "1");
		this.stage.awaitHeadline("BAD", "Redis refuses writes");
		assertThat(this.stage.text("#detail")).contains("Acquire requests fail").contains("maxmemory");
		this.stage.screenshot("full");
		this.stage.redis().cli("CONFIG", "SET", "maxmemory", "0");
		this.stage.awaitHeadline("WARNING", "1 lock was force-released in the last 5 minutes");
	}

	private void showsThatMessagesAreRefused() {
		this.stage.redis().cli("ACL", "SETUSER", "default", "resetchannels");
		this.stage.awaitText("#problems", "Waiting is slower: Redis delivers no messages");
		assertThat(this.stage.text("#problems")).contains("Locks work, but each waiting request")
			.containsPattern("NOPERM|PUBLISH");
		assertThat(this.stage.instance("south")).noneMatch((cell) -> cell.contains("No reply"));
		this.south.hold("order:44", "polling");
		await().atMost(PATIENCE).until(() -> this.stage.text("#range"), "1–50 of 122"::equals);
		this.stage.redis().cli("ACL", "SETUSER", "default", "allchannels");
		await().atMost(PATIENCE).until(() -> !this.stage.text("#problems").contains("delivers no messages"));
		await().atMost(PATIENCE).until(() -> this.stage.instance("south").contains("Running"));
		assertThat(this.stage.<List<String>>run("return [...window.titles]"))
			.noneMatch((title) -> title.contains("south"));
	}

	/** Removes the focus from the table, so that the table is no longer in use. */
	private void leave() {
		this.stage.run("document.activeElement.blur()");
	}

	private void awaitFocus(String text) {
		await().atMost(PATIENCE)
			.untilAsserted(
					() -> assertThat(this.stage.browser().<String>run("return document.activeElement.textContent"))
						.isEqualTo(text));
	}

}
