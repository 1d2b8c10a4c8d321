package io.lockstarter.dashboard;

import java.nio.file.Path;

import io.lockstarter.browser.Browser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

import static io.lockstarter.dashboard.PageStage.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What the page of one instance shows of another one, in a browser.
 */
@EnabledIf(value = "io.lockstarter.browser.Browser#isAvailable", disabledReason = "There is no Chromium with a driver")
class DashboardInstancesPageTests {

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
			leaves();
			assertThat(opened.browser().complaints()).isEmpty();
		}
	}

	/** One that ended without a word would be called silent for five minutes. */
	private void leaves() {
		assertThat(this.stage.instance("south")).isNotEmpty();
		this.south.end();
		await().atMost(PATIENCE).until(() -> this.stage.instance("south").isEmpty());
		assertThat(this.stage.instance("north").get(0)).isEqualTo("north answers this page");
	}

}
