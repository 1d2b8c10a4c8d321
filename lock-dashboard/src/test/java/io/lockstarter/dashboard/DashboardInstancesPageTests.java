package io.lockstarter.dashboard;

import java.nio.file.Path;

import io.lockstarter.testing.Needs;
import io.lockstarter.testing.Tool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.lockstarter.dashboard.PageStage.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What the page of one instance shows of another one, in a browser.
 */
@Needs(Tool.BROWSER)
class DashboardInstancesPageTests {

	private static final String WAITERS = "[data-lock='order:50'] .waiters";

	@TempDir
	Path directory;

	private PageStage stage;

	private PageStage.Instance north;

	private PageStage.Instance south;

	@Test
	void tellsOfAnotherInstanceUntilItLeaves() throws Exception {
		try (PageStage opened = new PageStage(this.directory)) {
			this.stage = opened;
			this.north = opened.start("north");
			this.south = opened.start("south");
			opened.open(this.north);
			opened.meet(this.north, this.south);
			waits();
			shares();
			leaves();
			assertThat(opened.browser().complaints()).isEmpty();
		}
	}

	private void waits() {
		this.north.hold("order:50", "picker");
		this.stage.awaitHolder("order:50", "north picker");
		this.south.hold("order:50", "packer");
		this.stage.awaitText(WAITERS, "1 instance waits; on south packer for ");
		this.north.hold("order:50", "shipper");
		// Redis counts this instance too, once it has told of its waiter
		this.stage.awaitText(WAITERS, "; on this one shipper for ");
		this.stage.awaitText(WAITERS, "; on south packer for ");
		this.stage.browser().find("[data-lock='order:50'] .name").click();
		this.stage.awaitText("#drawer-elsewhere", "packer on south, for ");
		assertThat(this.stage.text("#drawer-elsewhere-words"))
			.isEqualTo("On other instances, as they told last, the longest first:");
		assertThat(this.stage.text("#drawer-queue")).startsWith("shipper, for ");
		assertThat(Accessibility.violations(this.stage.browser())).isEmpty();
		this.stage.screenshot("waiters");
		this.south.jvm().stop();
		await().atMost(PATIENCE).until(() -> this.stage.instance("south").get(0).startsWith("south silent since "));
		assertThat(this.stage.text("#drawer-elsewhere")).isEmpty();
		assertThat(this.stage.text("#drawer-elsewhere-words")).isEmpty();
		assertThat(this.stage.text(WAITERS)).contains("; on this one shipper for ").doesNotContain("south");
		this.stage.browser().find("#close").click();
		this.south.jvm().resume();
		this.stage.awaitText(WAITERS, "; on south packer for ");
		this.north.free("picker");
		this.north.free("shipper");
		this.stage.awaitHolder("order:50", "south packer");
		await().atMost(PATIENCE).until(() -> !this.stage.text(WAITERS).contains("south"));
		this.south.free("packer");
		await().atMost(PATIENCE).until(() -> this.stage.none().equals("Nobody holds a lock."));
	}

	private void shares() {
		this.south.share("render", "painter-1", 4);
		this.south.share("render", "painter-2", 4);
		this.north.share("render", "painter-3", 4);
		awaitPermits("3 of 4 permits in use");
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(this.stage.holders("render")).satisfiesExactlyInAnyOrder(
					(holder) -> assertThat(holder).startsWith("south painter-1 held for "),
					(holder) -> assertThat(holder).startsWith("south painter-2 held for "),
					(holder) -> assertThat(holder).startsWith("north painter-3 held for ")));
		this.stage.awaitText("[data-lock='render'] .waiters", "nobody");
		this.north.share("render", "painter-4", 4);
		awaitPermits("4 of 4 permits in use");
		this.south.share("render", "painter-5", 4);
		this.stage.awaitText("[data-lock='render'] .waiters", "on south painter-5 for ");
		this.north.free("painter-3");
		this.north.free("painter-4");
		this.south.free("painter-5");
		awaitPermits("2 of 4 permits in use");
		this.south.free("painter-1");
		this.south.free("painter-2");
		await().atMost(PATIENCE).until(() -> this.stage.none().equals("Nobody holds a lock."));
	}

	private void awaitPermits(String words) {
		await().atMost(PATIENCE).until(() -> this.stage.text("[data-lock='render'] .permits"), words::equals);
	}

	/** One that ended without a word would be called silent for five minutes. */
	private void leaves() {
		assertThat(this.stage.instance("south")).isNotEmpty();
		this.south.end();
		await().atMost(PATIENCE).until(() -> this.stage.instance("south").isEmpty());
		assertThat(this.stage.instance("north").get(0)).isEqualTo("north answers this page");
	}

}
