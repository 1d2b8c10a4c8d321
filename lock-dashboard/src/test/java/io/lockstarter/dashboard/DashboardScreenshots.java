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
 * Takes the pictures of the page in the documentation. No build runs it:
 * {@code mvn test -pl lock-dashboard -am -Dtest=DashboardScreenshots -Dsurefire.failIfNoSpecifiedTests=false}.
 */
@Needs(Tool.BROWSER)
class DashboardScreenshots {

	private static final Path IMAGES = Path.of("..", "docs", "images");

	@TempDir
	Path directory;

	@Test
	void takesThePicturesOfTheDocumentation() throws Exception {
		try (PageStage stage = new PageStage(this.directory)) {
			PageStage.Instance first = stage.start("orders-1");
			PageStage.Instance second = stage.start("orders-2");
			stage.open(first);
			stage.meet(first, second);
			first.hold("invoice:2026-11", "month-end");
			second.hold("order:1042", "http-7");
			stage.awaitHolder("invoice:2026-11", "orders-1 month-end");
			stage.awaitHolder("order:1042", "orders-2 http-7");
			first.hold("order:1042", "http-3");
			second.hold("report:daily", "scheduler");
			stage.awaitText("[data-lock='order:1042'] .waiters", "on this one http-3");
			stage.awaitHolder("report:daily", "orders-2 scheduler");
			stage.browser().size(1000, 840);
			take(stage, "light", "light", 1000);
			take(stage, "dark", "dark", 1000);
			take(stage, "light", "phone", 390);
			second.jvm().stop();
			await().atMost(PATIENCE)
				.untilAsserted(() -> assertThat(stage.instance("orders-2").get(0)).contains("silent since"));
			first.hold("stock:17", "importer");
			stage.awaitHolder("stock:17", "orders-1 importer");
			stage.redis().kill();
			stage.awaitStatus("redis-down", "orders-1 cannot reach Redis");
			stage.awaitText("[data-lock='stock:17'] .trouble", "lost lately");
			take(stage, "light", "trouble", 1000);
		}
	}

	private static void take(PageStage stage, String scheme, String name, int width) {
		stage.browser().prefer(scheme, true);
		stage.browser().size(width, 840);
		stage.browser().screenshot(IMAGES.resolve("dashboard-%s.png".formatted(name)));
	}

}
