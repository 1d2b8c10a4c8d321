package io.lockstarter.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every expression of the published dashboard and alert rules finds its series in what a
 * running instance tells Prometheus.
 */
class OperationsFilesTests {

	private static final Path FOLDER = Path.of("..", "docs", "operations");

	private static final Pattern SELECTOR = Pattern.compile("(distributed_lock_\\w+)(?:\\{([^}]*)})?");

	private static final Pattern MATCHER = Pattern.compile("(\\w+)=\"([^\"]*)\"");

	private static final Pattern GROUPING = Pattern.compile("by \\(([^)]*)\\)");

	/** What Prometheus adds to every series. */
	private static final String INSTANCE = "instance";

	private static String scraped;

	@BeforeAll
	static void scrapeAnInstanceThatHasSeenEverything(@TempDir Path directory) throws InterruptedException {
		try (EventfulInstance instance = EventfulInstance.start(directory)) {
			scraped = instance.scrape();
		}
	}

	@AfterAll
	static void forget() {
		scraped = null;
	}

	static Stream<String> expressions() throws IOException {
		return Stream.concat(alerts().stream(), panels().stream());
	}

	@SuppressWarnings("unchecked")
	private static List<String> alerts() throws IOException {
		Map<String, Object> file = new Yaml().load(Files.readString(FOLDER.resolve("alerts.yml")));
		return ((List<Map<String, Object>>) file.get("groups")).stream()
			.flatMap((group) -> ((List<Map<String, Object>>) group.get("rules")).stream())
			.map((rule) -> String.valueOf(rule.get("expr")))
			.toList();
	}

	private static List<String> panels() throws IOException {
		JsonNode file = JsonMapper.shared().readTree(Files.readString(FOLDER.resolve("grafana-dashboard.json")));
		List<String> expressions = new ArrayList<>();
		for (JsonNode panel : file.get("panels")) {
			panel.get("targets").forEach((target) -> expressions.add(target.get("expr").asString()));
		}
		for (JsonNode variable : file.get("templating").get("list")) {
			if (variable.get("type").asString().equals("query")) {
				expressions.add(variable.get("query").get("query").asString());
			}
		}
		return expressions;
	}

	@ParameterizedTest
	@MethodSource("expressions")
	void findsItsSeries(String expression) {
		List<MatchResult> selectors = SELECTOR.matcher(expression).results().toList();
		assertThat(selectors).isNotEmpty();
		assertThat(selectors).allSatisfy((selector) -> {
			List<String> samples = samples(selector.group(1), selector.group(2));
			assertThat(samples).as(selector.group()).isNotEmpty();
			assertThat(labels(samples)).as(expression).containsAll(grouping(expression));
		});
	}

	/** The samples of a series that have the labels asked for, but for the variables. */
	private static List<String> samples(String series, String matchers) {
		List<String> wanted = MATCHER.matcher((matchers != null) ? matchers : "")
			.results()
			.map(MatchResult::group)
			.filter((matcher) -> !matcher.contains("$"))
			.toList();
		return scraped.lines()
			.filter((line) -> line.startsWith(series + "{") || line.startsWith(series + " "))
			.filter((line) -> wanted.stream().allMatch(line::contains))
			.toList();
	}

	private static Set<String> labels(List<String> samples) {
		return samples.stream()
			.flatMap((line) -> MATCHER.matcher(line).results())
			.map((label) -> label.group(1))
			.collect(Collectors.toSet());
	}

	private static List<String> grouping(String expression) {
		return GROUPING.matcher(expression)
			.results()
			.flatMap((clause) -> Stream.of(clause.group(1).split(", *")))
			.filter((label) -> !label.equals(INSTANCE))
			.distinct()
			.toList();
	}

}
