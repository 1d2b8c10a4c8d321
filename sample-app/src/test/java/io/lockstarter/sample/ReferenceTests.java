package io.lockstarter.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.actuate.ForceReleaseOperation;
import io.lockstarter.core.FenceRefusal;
import io.lockstarter.core.LockLoss;
import io.lockstarter.sample.EventfulInstance.Question;
import io.lockstarter.testing.Checkout;
import io.lockstarter.testing.GeneratedPage;
import io.lockstarter.testing.Javadoc;
import io.lockstarter.testing.MarkdownTable;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.observation.Observation;
import jdk.jfr.EventType;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the documentation says can be observed is what a running instance shows, no more
 * and no less; and the files of docs/operations find it.
 */
class ReferenceTests {

	private static final String CLUSTER = "## `GET /actuator/locks?scope=cluster`";

	private static final String EXAMPLE = """
			{
			  "locks": [
			    {
			      "name": "order:42",
			      "holders": [
			        {
			          "instance": "shop-1", "owner": "shop-1/worker-1", "since": "2024-11-09T08:04:14.330Z", "heldForMillis": 1500,
			          "deadline": "2024-11-09T08:04:45.330Z", "remainingLeaseMillis": 29500, "fencingToken": "1772686801234567168", "permits": 1
			        }
			      ],
			      "waiting": 3, "waitingInstances": 2, "waitingSince": "2024-11-09T08:04:15.100Z"
			    }
			  ],
			  "next": "0-17"
			}
			""";

	/** The tables of fields by their headings. */
	private static final Map<String, Section> SECTIONS = sections();

	private static final List<String> UNKNOWN = List.of("?", "?");

	private static final Set<String> COMMON_TAGS = Set.of("name", "type");

	private static final Pattern CODE = Pattern.compile("`([^`]+)`");

	/** What each event of the Flight Recorder has. */
	private static final Set<String> FIELDS_OF_ALL_EVENTS = Set.of("startTime", "duration", "eventThread",
			"stackTrace");

	private static EventfulInstance instance;

	/** What the instance tells Prometheus. */
	private static String scraped;

	private static Map<String, Section> sections() {
		Map<String, Section> sections = new LinkedHashMap<>();
		sections.put("## `GET /actuator/locks`",
				new Section(
						"""
								The response lists the locks that this instance holds, and its waiting requests. `GET /actuator/locks/{name}` does the
								same for one lock, or responds with 404 if this instance neither holds the lock nor waits for it.

								Web servers refuse `;`, `%` and backslashes in a path, and Spring Boot drops one slash of `//`. Use the
								parameter for such names, with URL encoding (`%3B`, `%25`, `%5C`, and `%2B` for a plus):
								`GET /actuator/locks?name=billing%5C:eu:42`. The parameter works for any name, also with `scope`. If the path contains
								a name, the parameter is ignored.

								`GET /actuator/locks?metricName=OrderService.ship` lists the locks with this name in meters and alerts. With
								`scope=cluster`, these are the locks whose names begin with it, as those of annotated methods do, and the locks that
								this instance knows.

								`management.endpoint.locks.show-values` and `management.endpoint.locks.roles` determine who sees the names of locks.
								Each name is also passed to the beans of type `SanitizingFunction`, with the metric name as the key. With
								`scope=cluster`, the metric name is not known, so the key is the part of the name before the first colon that is not
								escaped, or the whole name.""",
						() -> List.of(instance.answers(Question.ALL_LOCKS), instance.answers(Question.ONE_LOCK))));
		sections.put(CLUSTER,
				new Section(
						"""
								The response lists the locks that all instances hold, on pages of about 100 locks. The parameter `limit` changes this
								number, up to 1,000. If there is a field `next`, `GET /actuator/locks?scope=cluster&from=…` with its value returns the
								next page. With a name, the response is one element of `locks`, or 404 if nobody holds that lock.

								The endpoint reads the keys with `SCAN`, at most 100,000 keys per page. Locks that are acquired or released in the
								meantime may be missing. If Redis contains many other keys, a page may be short. A lock may be on several pages,
								especially of a quorum. Names of more than 512 bytes are not listed.

								```json
								%s```"""
							.formatted(EXAMPLE),
						() -> List.of(instance.answers(Question.ALL_LOCKS_OF_ALL))));
		sections.put("## `DELETE /actuator/locks/{name}`", new Section(
				"The response lists the holders that have lost the lock. The status is 404 if nobody held the lock, 400 if the request contains no name, and 500 if the lock may or may not have been released.",
				() -> List.of(instance.answers(Question.FORCE_RELEASE))));
		sections.put("## Data of the audit event",
				new Section(
						"""
								Each such request publishes an audit event of type `%s` with the caller as its principal. If the
								request failed, the event has the type `%s`, the field `lock`, and the exception in the field
								`failure`. The exception names the holders that are known to have lost the lock."""
							.formatted(ForceReleaseOperation.AUDIT_TYPE, ForceReleaseOperation.FAILURE_AUDIT_TYPE),
						() -> List.of(audited().map(AuditEvent::getData).toList())));
		sections.put("## Health",
				new Section("These are the details of the component `distributedLock` of `GET /actuator/health`.",
						() -> List.of(instance.answers(Question.HEALTH))));
		return sections;
	}

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
	void tellsWhatHappens() {
		GeneratedPage.by(getClass(), "Meters, observations and events")
			.text("The test produces everything that can happen to locks, and lists what an instance then shows.")
			.text("## Meters")
			.text("""
					The tag `name` is the static name of the annotation, never the key. For programmatic locks it is the `metricName`
					of the request, or `programmatic` if the request has none. The tag `type` is the type of the lock. As soon as there
					are several registries, all meters have the tag `registry`. Re-entries are not counted. The outcome of a request
					without a wait time that does not get its lock is `busy`. If a request has waited for its whole wait time, its outcome
					is `timeout`. Gauges, losses and failed renewals start at zero when a lock with the name is requested for the first
					time, for the first 1,000 names.

					Percentiles of the timers need `management.metrics.distribution.percentiles-histogram.distributed.lock=true`.""")
			.table(List.of("meter", "kind", "tags", "meaning"), meters())
			.text("## Observations")
			.text("""
					The parent is the observation that was current when the lock was requested, even if the lock is granted and
					released on other threads. To change names and keys, define a bean of type `LockAcquireConvention` or
					`LockHoldConvention` that extends the default convention.""")
			.table(List.of("observation", "keys of timer and span", "further keys of the span"), observations())
			.text("## Events of the Flight Recorder")
			.text("""
					Both events have a threshold of 10 ms, and cost nothing while no recording is running. `outcome` and `loss` have the
					same values as in the meters. `loss` is missing if the lock was released.""")
			.table(List.of("event", "fields", "meaning"), recordedEvents())
			.text("## Lost locks")
			.text("Each lost lock is published as an application event of type `LockLoss`:")
			.table(List.of("property", "type", "meaning"), losses())
			.text("## Refused tokens")
			.text("Each token that the database [refuses](../fencing.md) is published as an application event of type `FenceRefusal`:")
			.table(List.of("property", "type", "meaning"), refusals())
			.assertIsIn("meters.md");
	}

	private static List<List<String>> meters() {
		return instance.meters()
			.stream()
			.collect(Collectors.groupingBy((meter) -> meter.getId().getName(), TreeMap::new, Collectors.toList()))
			.values()
			.stream()
			.map(ReferenceTests::meter)
			.toList();
	}

	/**
	 * All meters of a name in a row, with the values of the tags that not all meters
	 * have.
	 */
	private static List<String> meter(List<Meter> meters) {
		Meter.Id id = meters.get(0).getId();
		List<String> tags = id.getTags().stream().map(Tag::getKey).toList();
		assertThat(meters).extracting((meter) -> meter.getId().getTags().stream().map(Tag::getKey).toList())
			.containsOnly(tags);
		String values = code(meters.stream()
			.flatMap((meter) -> meter.getId().getTags().stream())
			.filter((tag) -> !COMMON_TAGS.contains(tag.getKey()))
			.map(Tag::getValue));
		return List.of('`' + id.getName() + '`', id.getType().name().toLowerCase(Locale.ROOT),
				code(tags.stream()
					.sorted(Comparator.comparing((String tag) -> !COMMON_TAGS.contains(tag))
						.thenComparing(Function.identity())), false) + (values.isEmpty() ? "" : ": " + values),
				String.valueOf(id.getDescription()));
	}

	private static List<List<String>> observations() {
		Map<String, List<Set<String>>> found = new TreeMap<>();
		for (Observation.Context context : instance.observations()) {
			List<Set<String>> keys = found.computeIfAbsent(context.getName(),
					(name) -> List.of(new TreeSet<>(), new TreeSet<>()));
			keys.get(0).addAll(keys(context.getLowCardinalityKeyValues()));
			keys.get(1).addAll(keys(context.getHighCardinalityKeyValues()));
		}
		return found.entrySet()
			.stream()
			.map((entry) -> List.of('`' + entry.getKey() + '`', code(entry.getValue().get(0).stream()),
					code(entry.getValue().get(1).stream())))
			.toList();
	}

	private static List<List<String>> recordedEvents() {
		return instance.recorded()
			.stream()
			.map(RecordedEvent::getEventType)
			.collect(Collectors.toMap(EventType::getName, Function.identity(), (a, b) -> a, TreeMap::new))
			.values()
			.stream()
			.map((type) -> List.of('`' + type.getName() + '`',
					code(type.getFields()
						.stream()
						.map(ValueDescriptor::getName)
						.filter((field) -> !FIELDS_OF_ALL_EVENTS.contains(field))),
					type.getDescription()))
			.toList();
	}

	private static List<List<String>> losses() {
		assertThat(instance.events(LockLoss.class)).extracting(LockLoss::reason).contains(LockLoss.Reason.values());
		return components(LockLoss.class);
	}

	private static List<List<String>> refusals() {
		assertThat(instance.events(FenceRefusal.class)).extracting(FenceRefusal::stage)
			.contains(FenceRefusal.Stage.values());
		return components(FenceRefusal.class);
	}

	private static List<List<String>> components(Class<? extends Record> type) {
		Map<String, String> meanings = Javadoc.parameters(type);
		return Arrays.stream(type.getRecordComponents())
			.map((component) -> List.of('`' + component.getName() + '`',
					'`' + component.getType().getSimpleName() + '`', meanings.get(component.getName())))
			.toList();
	}

	private static String code(Stream<String> texts) {
		return code(texts.sorted(), true);
	}

	private static String code(Stream<String> texts, boolean distinct) {
		return (distinct ? texts.distinct() : texts).map((text) -> '`' + text + '`').collect(Collectors.joining(", "));
	}

	@Test
	void tellsTheFields() {
		GeneratedPage page = GeneratedPage.by(getClass(), "Responses of the endpoint and of health")
			.text("The test reads the fields from a running instance. Their meanings are written by hand, and the test keeps them.");
		SECTIONS.forEach((heading, section) -> page.text(heading + "\n\n" + section.text())
			.table(List.of("field", "kind", "meaning"), fields(heading, section.answers().get())));
		page.assertIsIn("endpoint.md");
	}

	/** What is known of each field, and a question mark for what a person has to tell. */
	private static List<List<String>> fields(String heading, List<List<Map<String, Object>>> answers) {
		Map<String, Set<Object>> values = values(answers.stream().flatMap(List::stream).toList());
		answers.forEach((answer) -> assertThat(values(answer).keySet()).isEqualTo(values.keySet()));
		Map<String, List<String>> documented = rows(heading);
		assertThat(documented.values()).as("a meaning for each field").doesNotContain(UNKNOWN);
		Set<String> fields = new LinkedHashSet<>(documented.keySet());
		fields.retainAll(values.keySet());
		fields.addAll(values.keySet());
		return fields.stream().map((field) -> {
			List<String> known = documented.getOrDefault(field, UNKNOWN);
			if (known != UNKNOWN) {
				assertKind(field, known.get(0), values.get(field));
			}
			return List.of('`' + field + '`', known.get(0), known.get(1));
		}).toList();
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
	void showsAnExampleWithTheFieldsThatItTells() {
		Map<String, List<String>> documented = rows(CLUSTER);
		Map<String, Set<Object>> values = values(
				List.of(JsonMapper.shared().readValue(EXAMPLE, new TypeReference<Map<String, Object>>() {
				})));
		assertThat(documented.keySet()).containsAll(values.keySet());
		values.forEach((field, shown) -> assertKind(field, documented.get(field).get(0), shown));
	}

	@Test
	void tellsTheTypeOfAuditEvents() {
		assertThat(audited().map(AuditEvent::getType).distinct()).containsExactly(ForceReleaseOperation.AUDIT_TYPE);
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
		MarkdownTable.below(heading, GeneratedPage.FOLDER.resolve("endpoint.md"))
			.rows()
			.forEach((first, cells) -> rows.put(codes(first).get(0), cells));
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

		private static final Path FOLDER = Checkout.file("docs", "operations");

		private static final Pattern SELECTOR = Pattern.compile("(distributed_lock_\\w+)(?:\\{([^}]*)})?");

		private static final Pattern MATCHER = Pattern.compile("(\\w+)=\"([^\"]*)\"");

		private static final Pattern GROUPING = Pattern.compile("by \\(([^)]*)\\)");

		/** What Prometheus adds to every series. */
		private static final Set<String> OF_PROMETHEUS = Set.of("instance", "job");

		/** The name that the example of an alert for a scheduled job has. */
		private static final String EXAMPLE_NAME = "name=\"nightly\"";

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
		 * The samples of a series that have the labels asked for, except for variables,
		 * for what Prometheus adds, and for the name in the example.
		 */
		private static List<String> samples(String series, String matchers) {
			List<String> wanted = MATCHER.matcher((matchers != null) ? matchers : "")
				.results()
				.filter((matcher) -> !OF_PROMETHEUS.contains(matcher.group(1)))
				.map(MatchResult::group)
				.filter((matcher) -> !matcher.contains("$") && !matcher.equals(EXAMPLE_NAME))
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
				.filter((label) -> !OF_PROMETHEUS.contains(label))
				.distinct()
				.toList();
		}

	}

	/**
	 * A table of fields.
	 *
	 * @param text stands above it
	 * @param answers each has exactly these fields
	 */
	private record Section(String text, Supplier<List<List<Map<String, Object>>>> answers) {
	}

}
