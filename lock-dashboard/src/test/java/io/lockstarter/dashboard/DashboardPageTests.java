package io.lockstarter.dashboard;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.lockstarter.testing.Needs;
import io.lockstarter.testing.Tool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

import static io.lockstarter.dashboard.PageStage.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The page in a browser, with two instances of an application that has the dependency and
 * says nothing about it.
 */
@Needs(Tool.BROWSER)
class DashboardPageTests {

	/** Keeps in mind what the page has ever said of a lock that nobody may share. */
	private static final String WATCH = """
			window.most = 0;
			new MutationObserver(() => {
				window.most = Math.max(window.most, document.querySelectorAll("[data-lock='order:42'] .holder").length);
			}).observe(document.body, { subtree: true, childList: true });
			""";

	@TempDir
	Path directory;

	private PageStage stage;

	private PageStage.Instance north;

	private PageStage.Instance south;

	@Test
	void tellsTheTruthWhateverHappens() throws Exception {
		try (PageStage opened = new PageStage(this.directory)) {
			this.stage = opened;
			this.north = opened.start("north");
			this.south = opened.start("south");
			opened.open(this.north);
			this.stage.browser().run(WATCH);
			await().atMost(PATIENCE).until(() -> opened.none().equals("Nobody holds a lock."));
			// The lines have a point a second
			opened.awaitText("#held-line title", "between 0 and 0");
			instances();
			contention();
			figures();
			looks();
			keepsTheFocus();
			releasesByKeyboardAlone();
			hearsWithoutAsking();
			asksNothingWhileEventsCome();
			asksWithoutHearing();
			redisFallsSilent();
			pageIsCutOff();
			redisIsLeftAloneWhileNobodyLooks();
			assertThat(this.stage.browser().complaints()).isEmpty();
		}
	}

	private void contention() {
		this.south.hold("order:42", "packer");
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.stage.holders("order:42")).singleElement()
				.asString()
				.startsWith("south packer")
				.contains("lease ends in"));
		this.north.hold("order:42", "shipper");
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.stage.text("[data-lock='order:42'] .waiters"))
				.startsWith("1 instance waits; on this one shipper for "));
		assertThat(this.stage.text("#held")).isEqualTo("1");
		assertThat(this.stage.text("#waiting")).isEqualTo("1");
		this.stage.awaitText("#waiting-line title", "between 0 and 1");
		this.south.jvm().kill();
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.stage.holders("order:42")).singleElement()
				.asString()
				.startsWith("north shipper")
				.contains("renewed while held"));
		await().atMost(PATIENCE).until(() -> this.stage.text("[data-lock='order:42'] .waiters").equals("nobody"));
		assertThat(this.stage.browser().<Long>run("return window.most")).as("holders at a time").isEqualTo(1);
	}

	private void instances() {
		this.north.hold("order:40", "early");
		this.stage.awaitHolder("order:40", "north early");
		this.south.hold("order:40", "late");
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.stage.instance("south")).contains("south", "1.2.3")
				.anySatisfy((waiting) -> assertThat(waiting).startsWith("1, the longest for ")));
		this.stage.awaitText("#longest-wait-hint", "on 2 instances that tell");
		this.stage.awaitText("#waiting-hint", "0 requests on this one, 1 on all that tell");
		assertThat(this.stage.text("#longest-wait")).isNotEqualTo("none");
		this.north.free("early");
		this.south.free("late");
		await().atMost(PATIENCE).until(() -> this.stage.none().equals("Nobody holds a lock."));
	}

	private void figures() {
		assertThat(this.stage.instance("north")).startsWith("north answers this page", "1.2.3")
			.endsWith("0", "0")
			.anySatisfy((held) -> assertThat(held).startsWith("1, the longest for "));
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.stage.instance("south").get(0)).startsWith("south silent since "));
		assertThat(this.stage.text("#instances-note")).isEmpty();
		assertThat(this.stage.text("#held-line title")).endsWith("between 0 and 1");
		assertThat(this.stage.text("#waiting-line title")).endsWith("between 0 and 1");
	}

	private void looks() {
		for (String scheme : List.of("dark", "light")) {
			this.stage.browser().prefer(scheme, true);
			assertThat(this.stage.browser().paleTexts()).as(scheme).isEmpty();
			assertThat(Accessibility.violations(this.stage.browser())).as(scheme).isEmpty();
			for (int width : List.of(390, 1200)) {
				this.stage.browser().size(width, 900);
				this.stage.screenshot("%s-%d".formatted(scheme, width));
				assertThat(this.stage.overflowing()).as("%d pixels", width).isEmpty();
				assertThat(this.stage.browser()
					.<Boolean>run(
							"return document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
					.isTrue();
			}
		}
		assertThat(Accessibility.violationsWith(this.stage.browser(), "<img src='icon.svg'>")).as("a planted obstacle")
			.singleElement()
			.asString()
			.startsWith("image-alt");
		this.stage.browser().find("#text").sendKeys("nothing");
		await().atMost(PATIENCE).until(() -> this.stage.none().equals("None of 1 lock passes the filter."));
		this.stage.browser().find("#text").clear();
		this.stage.browser().find("#text").sendKeys("SHIP");
		await().atMost(PATIENCE).until(() -> !this.stage.holders("order:42").isEmpty());
		this.stage.browser().find("#text").clear();
	}

	private void keepsTheFocus() {
		// A drawer whose row has gone, and one whose row has gone and come again
		openByKeyboard("order:48", "brief");
		freeAndAwait("order:48", "brief");
		this.stage.browser().press(Keys.ESCAPE);
		awaitFocus("text", "");
		openByKeyboard("order:48", "other");
		freeAndAwait("order:48", "other");
		this.north.hold("order:48", "again");
		this.stage.awaitHolder("order:48", "north again");
		this.stage.browser().press(Keys.ESCAPE);
		awaitFocus("", "order:48");
		// A row that rises
		assertThat(topmost()).isEqualTo("order:42");
		this.north.hold("order:48", "next");
		await().atMost(PATIENCE).until(() -> topmost().equals("order:48"));
		awaitFocus("", "order:48");
		this.north.free("again");
		this.stage.awaitHolder("order:48", "north next");
		freeAndAwait("order:48", "next");
	}

	private String topmost() {
		return this.stage.run("return document.querySelector('#rows tr').dataset.lock");
	}

	private void openByKeyboard(String lock, String thread) {
		this.north.hold(lock, thread);
		this.stage.awaitHolder(lock, "north " + thread);
		this.stage.browser().run("document.querySelector(`[data-lock='${arguments[0]}'] .name`).focus()", lock);
		this.stage.browser().press(Keys.ENTER);
		assertThat(this.stage.text("#drawer-title")).isEqualTo(lock);
	}

	private void freeAndAwait(String lock, String thread) {
		this.north.free(thread);
		await().atMost(PATIENCE)
			.until(() -> this.stage.browser()
				.<Boolean>run("return document.querySelector(`[data-lock='${arguments[0]}']`) === null", lock));
	}

	private void awaitFocus(String id, String text) {
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.stage.browser()
				.<List<String>>run("return [document.activeElement.id, document.activeElement.textContent]"))
				.containsExactly(id, text));
	}

	private void releasesByKeyboardAlone() {
		openByKeyboard("order:43", "taker");
		await().atMost(PATIENCE).until(() -> this.stage.text("#drawer-commands").contains("jcmd PID Thread.print"));
		this.stage.screenshot("drawer");
		assertThat(Accessibility.violations(this.stage.browser())).as("drawer").isEmpty();
		this.stage.browser().run("document.querySelector('#release-ask').focus()");
		this.stage.browser().press(Keys.ENTER);
		assertThat(this.stage.browser().<String>run("return document.activeElement.id")).as("the harmless one")
			.isEqualTo("release-cancel");
		assertThat(this.stage.text("#drawer-said")).isEmpty();
		this.stage.browser().press(Keys.chord(Keys.SHIFT, Keys.TAB));
		this.stage.browser().press(Keys.ENTER);
		await().atMost(PATIENCE).until(() -> this.stage.text("#drawer-said").equals("Taken away from north/taker."));
		await().atMost(PATIENCE).until(() -> this.stage.text("#drawer-troubles").contains("lost the lock"));
		this.stage.browser().press(Keys.ESCAPE);
		awaitFocus("", "order:43");
		await().atMost(PATIENCE).until(() -> this.stage.text("#lost").equals("1"));
		assertThat(this.stage.text("[data-lock='order:43'] .trouble")).isEqualTo("lost lately");
	}

	private void hearsWithoutAsking() {
		this.stage.run("window.asking = window.fetch; window.fetch = () => Promise.reject(new TypeError('not now'))");
		this.north.hold("order:45", "told");
		this.stage.awaitHolder("order:45", "north told");
		this.stage.redis().stop();
		this.stage.awaitStatus("redis-down", "What it holds itself is true now");
		this.north.hold("order:45", "second");
		this.stage.awaitText("[data-lock='order:45'] .waiters", "on this one second");
		this.stage.redis().resume();
		this.stage.awaitLive(this.north);
		this.stage.run("window.fetch = window.asking");
	}

	/** Not even for what Redis would have to tell, of which no event comes. */
	private void asksNothingWhileEventsCome() {
		this.stage
			.run("""
					return fetch('api/instance').then((response) => response.text()).then((data) => {
						window.asked = 0;
						window.fetch = () => {
							window.asked++;
							return Promise.reject(new TypeError('not now'));
						};
						window.EventSource = class {
							#begun = performance.now();
							#timer;
							addEventListener(name, tell) {
								if (name === 'instance') {
									this.#timer = setInterval(() => tell({ data, lastEventId: performance.now() - this.#begun }), 100);
								}
							}
							close() {
								clearInterval(this.#timer);
							}
						};
						document.dispatchEvent(new Event('visibilitychange'));
					});
					""");
		await().atMost(PATIENCE)
			.during(Duration.ofSeconds(4))
			.until(() -> this.stage.<Long>run("return window.asked"), new Unchanged());
		this.stage.open(this.north);
	}

	private void asksWithoutHearing() {
		this.stage.run("""
				window.EventSource = class {
					addEventListener() {}
					close() {}
				};
				document.dispatchEvent(new Event('visibilitychange'));
				""");
		this.north.free("told");
		this.stage.awaitHolder("order:45", "north second");
		this.north.free("second");
		this.stage.open(this.north);
	}

	private void redisFallsSilent() {
		this.stage.redis().stop();
		this.stage.awaitStatus("redis-down", "What it holds itself is true now");
		assertThat(this.stage.text("#status")).startsWith("north ");
		assertThat(this.stage.holders("order:42")).singleElement().asString().startsWith("north shipper");
		this.stage.redis().resume();
		this.stage.awaitLive(this.north);
		this.stage.redis().kill();
		this.stage.awaitStatus("redis-down", "north cannot reach Redis");
		this.stage.screenshot("redis-down");
		assertThat(Accessibility.violations(this.stage.browser())).as("Redis is down").isEmpty();
		await().atMost(PATIENCE)
			.untilAsserted(
					() -> assertThat(this.stage.text("[data-lock='order:42'] .trouble")).contains("lost lately"));
		assertThat(this.stage.none()).isNotEqualTo("Nobody holds a lock.");
		this.stage.redis().restart();
		this.stage.awaitLive(this.north);
	}

	private void pageIsCutOff() {
		this.north.hold("order:44", "keeper");
		await().atMost(PATIENCE).until(() -> !this.stage.holders("order:44").isEmpty());
		this.north.jvm().stop();
		this.stage.awaitStatus("cut-off", "This page is cut off: north has not answered it since ");
		assertThat(this.stage.text("#status")).contains("What is shown is from ");
		assertThat(this.stage.browser().<String>run("return document.querySelector('#main').dataset.instance"))
			.isEqualTo("false");
		assertThat(this.stage.none()).isNotEqualTo("Nobody holds a lock.");
		assertThat(this.stage.holders("order:44")).singleElement()
			.asString()
			.startsWith("north keeper was held for ")
			.contains("unless it was renewed");
		String hold = this.stage.text("#longest-hold");
		await().atMost(PATIENCE)
			.during(Duration.ofSeconds(2))
			.until(() -> this.stage.text("#longest-hold").equals(hold));
		this.stage.screenshot("cut-off");
		assertThat(Accessibility.violations(this.stage.browser())).as("cut off").isEmpty();
		assertThat(this.stage.browser().paleTexts()).isEmpty();
		this.north.jvm().resume();
		this.stage.awaitLive(this.north);
	}

	private void redisIsLeftAloneWhileNobodyLooks() {
		this.stage.browser().run("Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })");
		await().atMost(PATIENCE).during(Duration.ofSeconds(3)).until(this::calls, new Unchanged());
		this.stage.browser().run("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))");
		long before = calls();
		this.stage.awaitLive(this.north);
		await().atMost(PATIENCE).until(() -> calls() > before);
	}

	/** How many scripts and searches Redis has run. */
	private long calls() {
		return Stream.of("evalsha", "eval", "fcall", "scan").mapToLong(this.stage.redis()::commandCalls).sum();
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
