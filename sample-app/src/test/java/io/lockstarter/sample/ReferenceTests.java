package io.lockstarter.sample;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.core.LockLoss;
import io.lockstarter.sample.EventfulInstance.Question;
import io.lockstarter.testing.MarkdownTable;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.observation.Observation;
import jdk.jfr.ValueDescriptor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * What docs/reference.md says can be observed is what a running instance shows, no more
 * and no less; and the files of docs/operations find it.
 */
class ReferenceTests {

	private static final Path PAGE = Path.of("..", "docs", "reference.md");

	private static final String CLUSTER = "#### `GET /actuator/locks?scope=cluster`";

	private static final Pattern JSON = Pattern.compile("(?s)```json\\n(.+?)```");

	private static final Pattern CODE = Pattern.compile("`([^`]+)`");

	/** What each event of the Flight Recorder has. */
	private static final Set<String> FIELDS_OF_ALL_EVENTS = Set.of("startTime", "duration", "eventThread",
			"stackTrace");

	private static EventfulInstance instance;

	/** What the instance tells Prometheus. */
	private static String scraped;

	@BeforeAll
	static void start(@TempDir Path directory) throws InterruptedException {
		instance = EventfulInstance.start(directory);
		scraped = instance.scrape();
	}

	@AfterAll
	static void stop() {
		instance.close();
		instance = null;
		scraped = null;
	}

	@Test
	void tellsTheMeters() {
		Map<String, MeterRow> documented = new TreeMap<>();
		rows("### Meters").forEach((name, cells) -> documented.put(name, MeterRow.documented(cells)));
		Map<String, List<Meter>> shown = instance.meters()
			.stream()
			.collect(Collectors.groupingBy((meter) -> meter.getId().getName()));
		Map<String, MeterRow> found = new TreeMap<>();
		shown.forEach((name, meters) -> found.put(name, MeterRow.shown(meters)));
		assertThat(documented).containsExactlyInAnyOrderEntriesOf(found);
	}

	@ParameterizedTest
	@MethodSource
	void tellsTheFieldsOf(String heading, List<List<Map<String, Object>>> answers) {
		Map<String, List<String>> documented = rows(heading);
		answers.forEach((answer) -> assertThat(documented.keySet())
			.containsExactlyInAnyOrderElementsOf(values(answer).keySet()));
		Map<String, Set<Object>> values = values(answers.stream().flatMap(List::stream).toList());
		documented.forEach((field, cells) -> assertKind(field, cells.get(0), values.get(field)));
	}

	/** Each table, with the answers that have exactly its fields. */
	static Stream<Arguments> tellsTheFieldsOf() {
		return Stream.of(
				arguments("#### `GET /actuator/locks`",
						List.of(instance.answers(Question.ALL_LOCKS), instance.answers(Question.ONE_LOCK))),
				arguments(CLUSTER, List.of(instance.answers(Question.ALL_LOCKS_OF_ALL))),
				arguments("#### `DELETE /actuator/locks/{name}`", List.of(instance.answers(Question.FORCE_RELEASE))),
				arguments("#### Data of the audit event", List.of(audited().map(AuditEvent::getData).toList())),
				arguments("### Health", List.of(instance.answers(Question.HEALTH))));
	}

	@Test
	void tellsThatOneLockOfAllInstancesIsAnElementOfTheirList() {
		assertThat(rows(CLUSTER).keySet().stream().filter((field) -> field.startsWith("locks[].")))
			.containsExactlyInAnyOrderElementsOf(values(instance.answers(Question.ONE_LOCK_OF_ALL)).keySet()
				.stream()
				.map("locks[]."::concat)
				.toList());
	}

	@Test
	void showsExamplesWithTheFieldsThatItTells() throws IOException {
		Map<String, List<String>> documented = rows(CLUSTER);
		List<String> examples = JSON.matcher(Files.readString(PAGE)).results().map((block) -> block.group(1)).toList();
		assertThat(examples).hasSize(1).allSatisfy((example) -> {
			Map<String, Set<Object>> values = values(
					List.of(JsonMapper.shared().readValue(example, new TypeReference<Map<String, Object>>() {
					})));
			assertThat(documented.keySet()).containsAll(values.keySet());
			values.forEach((field, shown) -> assertKind(field, documented.get(field).get(0), shown));
		});
	}

	@Test
	void tellsTheTypeOfAuditEvents() throws IOException {
		String page = Files.readString(PAGE);
		assertThat(audited().map(AuditEvent::getType).distinct()).singleElement()
			.matches((type) -> page.contains("of the type `" + type + '`'), "is in the reference");
	}

	@Test
	void tellsThePropertiesOfLosses() {
		assertThat(instance.events(LockLoss.class)).extracting(LockLoss::reason).contains(LockLoss.Reason.values());
		Map<String, String> documented = new LinkedHashMap<>();
		rows("### Lost locks").forEach((property, cells) -> documented.put(property, codes(cells.get(0)).get(0)));
		assertThat(documented).containsExactlyInAnyOrderEntriesOf(Arrays.stream(LockLoss.class.getRecordComponents())
			.collect(Collectors.toMap(RecordComponent::getName, (component) -> component.getType().getSimpleName())));
	}

	@Test
	void tellsTheFieldsOfFlightRecorderEvents() {
		Map<String, List<String>> documented = new TreeMap<>();
		rows("### Flight Recorder").forEach((event, cells) -> documented.put(event, codes(cells.get(0))));
		Map<String, List<String>> found = new TreeMap<>();
		instance.recorded()
			.forEach((event) -> found.put(event.getEventType().getName(),
					event.getFields()
						.stream()
						.map(ValueDescriptor::getName)
						.filter((field) -> !FIELDS_OF_ALL_EVENTS.contains(field))
						.toList()));
		assertThat(documented).containsExactlyInAnyOrderEntriesOf(found);
	}

	@Test
	void tellsTheKeysOfObservations() {
		Map<String, List<Set<String>>> documented = new TreeMap<>();
		rows("### Traces").forEach((name, cells) -> documented.put(name,
				cells.stream().map((cell) -> (Set<String>) new TreeSet<>(codes(cell))).toList()));
		Map<String, List<Set<String>>> found = new TreeMap<>();
		for (Observation.Context context : instance.observations()) {
			List<Set<String>> keys = found.computeIfAbsent(context.getName(),
					(name) -> List.of(new TreeSet<>(), new TreeSet<>()));
			keys.get(0).addAll(keys(context.getLowCardinalityKeyValues()));
			keys.get(1).addAll(keys(context.getHighCardinalityKeyValues()));
		}
		assertThat(documented).containsExactlyInAnyOrderEntriesOf(found);
	}

	private static List<String> keys(KeyValues values) {
		return values.stream().map(KeyValue::getKey).toList();
	}

	private static Stream<AuditEvent> audited() {
		return instance.events(AuditApplicationEvent.class).stream().map(AuditApplicationEvent::getAuditEvent);
	}

	/** The rows of a table by the code in their first cell. */
	private static Map<String, List<String>> rows(String heading) {
		Map<String, List<String>> rows = new LinkedHashMap<>();
		MarkdownTable.below(heading, PAGE).rows().forEach((first, cells) -> rows.put(codes(first).get(0), cells));
		return rows;
	}

	private static List<String> codes(String cell) {
		return CODE.matcher(cell).results().map((match) -> match.group(1)).toList();
	}

	/** The values of all answers, by the paths of their fields. */
	private static Map<String, Set<Object>> values(List<Map<String, Object>> answers) {
		Map<String, Set<Object>> values = new TreeMap<>();
		answers.forEach((answer) -> collect("", answer, values));
		return values;
	}

	/** Sort the values of an answer under the paths of their fields. */
	private static void collect(String path, Object value, Map<String, Set<Object>> found) {
		if (value instanceof Map<?, ?> fields) {
			fields.forEach((name, field) -> collect(path.isEmpty() ? (String) name : path + "." + name, field, found));
		}
		else if (value instanceof Collection<?> elements) {
			elements.forEach((element) -> collect(path + "[]", element, found));
		}
		else {
			found.computeIfAbsent(path, (key) -> new TreeSet<>()).add(value);
		}
	}

	private static void assertKind(String field, String kind, Set<Object> values) {
		switch (kind) {
			case "number" -> assertThat(values).as(field).allMatch(Number.class::isInstance);
			case "text" -> assertThat(values).as(field).allMatch(String.class::isInstance);
			case "instant" -> assertThat(values).as(field)
				.allSatisfy((value) -> assertThat(Instant.parse((String) value)).isNotNull());
			default -> assertThat(values).as(field).containsExactlyInAnyOrderElementsOf(codes(kind));
		}
	}

	/**
	 * Every expression of the published dashboard and alert rules finds its series in
	 * what a running instance tells Prometheus.
	 */
	@Nested
	class OperationsFiles {

		private static final Path FOLDER = Path.of("..", "docs", "operations");

		private static final Pattern SELECTOR = Pattern.compile("(distributed_lock_\\w+)(?:\\{([^}]*)})?");

		private static final Pattern MATCHER = Pattern.compile("(\\w+)=\"([^\"]*)\"");

		private static final Pattern GROUPING = Pattern.compile("by \\(([^)]*)\\)");

		/** What Prometheus adds to every series. */
		private static final String INSTANCE = "instance";

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

		/**
		 * The samples of a series that have the labels asked for, but for the variables.
		 */
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

	/**
	 * A meter.
	 *
	 * @param kind in lower case
	 * @param tags their names
	 * @param values of the tags that not all meters have
	 */
	private record MeterRow(String kind, Set<String> tags, Set<String> values) {

		private static final Set<String> COMMON = Set.of("name", "type");

		static MeterRow documented(List<String> cells) {
			String[] tags = cells.get(1).split(":", 2);
			return new MeterRow(cells.get(0), Set.copyOf(codes(tags[0])),
					(tags.length == 1) ? Set.of() : Set.copyOf(codes(tags[1])));
		}

		static MeterRow shown(List<Meter> meters) {
			assertThat(meters).extracting((meter) -> keys(meter.getId())).containsOnly(keys(meters.get(0).getId()));
			return new MeterRow(meters.get(0).getId().getType().name().toLowerCase(Locale.ROOT),
					keys(meters.get(0).getId()),
					meters.stream()
						.flatMap((meter) -> meter.getId().getTags().stream())
						.filter((tag) -> !COMMON.contains(tag.getKey()))
						.map(Tag::getValue)
						.collect(Collectors.toSet()));
		}

		private static Set<String> keys(Meter.Id meter) {
			return meter.getTags().stream().map(Tag::getKey).collect(Collectors.toSet());
		}

	}

}
