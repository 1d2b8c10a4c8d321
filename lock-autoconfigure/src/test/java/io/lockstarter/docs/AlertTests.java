package io.lockstarter.docs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.testing.Checkout;
import io.lockstarter.testing.Needs;
import io.lockstarter.testing.Tool;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The published alerts fire when they have to, and only then. Their rules are tested by
 * Prometheus's own promtool where there is one.
 */
class AlertTests {

	private static final Path FOLDER = Checkout.file("docs", "operations");

	private static final Pattern RUNBOOK = Pattern
		.compile("https://github.com/lockstarter/lock-starter/blob/main/docs/operations.md#([a-z-]+)");

	private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.+)$");

	@Test
	void fireInOneTestAndKeepSilentInAnother() throws IOException {
		Map<String, Set<Boolean>> tested = list(read("alerts-test.yml"), "tests")
			.flatMap((test) -> list(test, "alert_rule_test"))
			.collect(Collectors.groupingBy((check) -> String.valueOf(check.get("alertname")), Collectors
				.mapping((check) -> ((Collection<?>) check.get("exp_alerts")).isEmpty(), Collectors.toSet())));
		List<String> alerts = rules().map((rule) -> String.valueOf(rule.get("alert"))).toList();
		assertThat(alerts).hasSizeGreaterThan(5);
		assertThat(tested).containsOnlyKeys(alerts);
		assertThat(tested)
			.allSatisfy((alert, silent) -> assertThat(silent).as(alert).containsExactlyInAnyOrder(false, true));
	}

	@Test
	void leadToASectionOfOperations() throws IOException {
		Set<String> anchors = Page.matches(HEADING, Page.of("docs", "operations.md").text())
			.map((heading) -> heading.toLowerCase(Locale.ROOT).replace(' ', '-'))
			.collect(Collectors.toSet());
		assertThat(rules()).allSatisfy((rule) -> {
			String runbook = String.valueOf(((Map<?, ?>) rule.get("annotations")).get("runbook_url"));
			assertThat(Page.matches(RUNBOOK, runbook).toList()).as(runbook).hasSize(1).isSubsetOf(anchors);
		});
	}

	@Test
	@Needs(Tool.PROMTOOL)
	void passTheirTestsByPromtool() throws IOException, InterruptedException {
		Process test = new ProcessBuilder("promtool", "test", "rules", "alerts-test.yml").directory(FOLDER.toFile())
			.redirectErrorStream(true)
			.start();
		String output = new String(test.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(test.waitFor()).as(output).isZero();
	}

	private static Stream<Map<String, Object>> rules() throws IOException {
		return list(read("alerts.yml"), "groups").flatMap((group) -> list(group, "rules"));
	}

	private static Map<String, Object> read(String file) throws IOException {
		return new Yaml().load(Files.readString(FOLDER.resolve(file)));
	}

	@SuppressWarnings("unchecked")
	private static Stream<Map<String, Object>> list(Map<String, Object> parent, String key) {
		return ((List<Map<String, Object>>) parent.get(key)).stream();
	}

}
