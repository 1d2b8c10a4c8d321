package io.lockstarter.actuate;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.lockstarter.core.FenceRefusal;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.web.context.servlet.AnnotationConfigServletWebApplicationContext;
import org.springframework.mock.web.MockServletContext;
import org.springframework.test.json.JsonContent;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.util.UriUtils;

import static org.assertj.core.api.Assertions.assertThat;

class LocksEndpointTests {

	private static final Pattern DEADLINE = Pattern.compile("(?<=\"deadline\":\")[^\"]+");

	private static final FakeLockMonitor monitor = new FakeLockMonitor();

	private static final AtomicReference<SanitizingFunction> sanitizing = new AtomicReference<>();

	private static AnnotationConfigServletWebApplicationContext application;

	private static MockMvcTester mvc;

	@BeforeAll
	static void startApplication() {
		application = start();
		mvc = MockMvcTester.from(application);
	}

	private static AnnotationConfigServletWebApplicationContext start(String... properties) {
		AnnotationConfigServletWebApplicationContext context = new AnnotationConfigServletWebApplicationContext();
		context.setServletContext(new MockServletContext());
		context.registerBean(FakeLockMonitor.class, () -> monitor);
		context.registerBean(SanitizingFunction.class, () -> (data) -> sanitizing.get().apply(data));
		return EndpointApplication.start(context, List.of(), properties);
	}

	@BeforeEach
	void forget() {
		monitor.clear();
		sanitizing.set((data) -> data);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	void showsTokensThatTheDatabaseHasRefused() {
		try (AnnotationConfigServletWebApplicationContext refused = start()) {
			RecentRefusals refusals = refused.getBean(RecentRefusals.class);
			Instant now = Instant.parse("2026-11-27T12:00:00Z");
			LockOwner owner = LockOwner.currentThread();
			refusals.fenceRefused(new FenceRefusal("order:1", "order", LockType.FAIR, owner, null, 7, 8L,
					FenceRefusal.Stage.COMMIT, now));
			refusals.fenceRefused(new FenceRefusal("order:2", "order", LockType.REENTRANT, owner, null, 9, null,
					FenceRefusal.Stage.REGISTRATION, now));
			refusals.fenceRefused(new FenceRefusal("order:3", "order", LockType.REENTRANT, owner, "billing", 9, null,
					FenceRefusal.Stage.REGISTRATION, now));
			String first = """
					{
					  "name": "%s",
					  "metricName": "order",
					  "type": "fair",
					  "owner": "main",
					  "fencingToken": "7",
					  "registeredToken": "8",
					  "stage": "commit",
					  "refusedAt": "2026-11-27T12:00:00Z"
					}""";
			String second = """
					{
					  "name": "order:2",
					  "metricName": "order",
					  "type": "reentrant",
					  "owner": "main",
					  "fencingToken": "9",
					  "stage": "registration",
					  "refusedAt": "2026-11-27T12:00:00Z"
					}""";
			MockMvcTester own = MockMvcTester.from(refused);
			assertThat(own.get().uri("/actuator/locks")).bodyJson()
				.isStrictlyEqualTo("{\"held\": [], \"waiting\": [], \"refused\": [%s, %s]}".formatted(second,
						first.formatted("order:1")));
			sanitizing.set((data) -> data.withValue("***"));
			assertThat(own.get().uri("/actuator/locks/order:1")).bodyJson()
				.isStrictlyEqualTo(
						"{\"held\": [], \"waiting\": [], \"refused\": [%s]}".formatted(first.formatted("***")));
		}
	}

	@Test
	void keepsNoMoreThanTheLatestRefusals() {
		RecentRefusals refusals = new RecentRefusals();
		LockOwner owner = LockOwner.currentThread();
		for (int i = 0; i < 100; i++) {
			refusals.fenceRefused(new FenceRefusal("refused:" + i, "refused", LockType.FAIR, owner, null, 7, 8L,
					FenceRefusal.Stage.COMMIT, Instant.EPOCH));
		}
		assertThat(refusals.of(null)).hasSize(20).first().extracting(FenceRefusal::name).isEqualTo("refused:99");
	}

	@Test
	void listsWhatIsHeldAndWaitedFor() {
		monitor.hold("order:42").await("order:42").await("order:43");
		assertThatJson("/actuator/locks", """
				{
				  "held": [
				    {
				      "name": "order:42",
				      "metricName": "OrderService.ship",
				      "type": "reentrant",
				      "instance": "shop-1",
				      "owner": "worker-1",
				      "holds": 2,
				      "since": "2026-01-02T03:04:05.678Z",
				      "heldForMillis": 1500,
				      "fencingToken": "9007199254740993",
				      "deadline": "in 29 s",
				      "remainingLeaseMillis": 29500,
				      "watchdog": "fixed_lease",
				      "permits": 1
				    }
				  ],
				  "waiting": [
				    {
				      "name": "order:42",
				      "metricName": "OrderService.ship",
				      "type": "reentrant",
				      "instance": "shop-1",
				      "owner": "worker-2",
				      "since": "2026-01-02T03:04:05.678Z",
				      "waitedMillis": 700,
				      "position": 1,
				      "permits": 1
				    },
				    {
				      "name": "order:43",
				      "metricName": "OrderService.ship",
				      "type": "reentrant",
				      "instance": "shop-1",
				      "owner": "worker-2",
				      "since": "2026-01-02T03:04:05.678Z",
				      "waitedMillis": 700,
				      "position": 1,
				      "permits": 1
				    }
				  ]
				}
				""");
	}

	@Test
	void listsNothingWhenNothingIsHeld() {
		assertThatJson("/actuator/locks", "{ \"held\": [], \"waiting\": [] }");
	}

	@ParameterizedTest
	@ValueSource(strings = { "order:42", "tenant/7/report", "größe 50%", "a{b}?c#d" })
	void showsOneLockWhateverItsName(String name) {
		monitor.hold("other").hold(name).await("other");
		get("/actuator/locks/" + UriUtils.encodePath(name, StandardCharsets.UTF_8), (result) -> {
			assertThat(result).hasStatusOk();
			assertThat(result).bodyJson().extractingPath("$.held[*].name").asArray().containsExactly(name);
			assertThat(result).bodyJson().extractingPath("$.waiting").asArray().isEmpty();
		});
	}

	@Test
	void showsOneLockThatIsOnlyWaitedFor() {
		monitor.hold("order:42").await("order:43");
		get("/actuator/locks/order:43",
				(result) -> assertThat(result).bodyJson().extractingPath("$.waiting[*].name").asArray().hasSize(1));
	}

	@Test
	void answersNotFoundForALockThatIsNeitherHeldNorWaitedFor() {
		monitor.hold("order:42");
		get("/actuator/locks/order", (result) -> assertThat(result).hasStatus(404));
	}

	@Test
	void listsTheLocksOfAllInstances() {
		monitor.hold("order:42").hold("order:43").await("order:42");
		assertThatJson("/actuator/locks?scope=cluster&limit=1", """
				{
				  "locks": [
				    {
				      "name": "order:42",
				      "holders": [
				        {
				          "instance": "shop-1",
				          "owner": "shop-1/worker-1",
				          "since": "2026-01-02T03:04:05.678Z",
				          "heldForMillis": 1500,
				          "deadline": "in 29 s",
				          "remainingLeaseMillis": 29500,
				          "fencingToken": "9007199254740993",
				          "permits": 1
				        }
				      ],
				      "waiting": 1,
				      "waitingInstances": 1,
				      "waitingSince": "2026-01-02T03:04:05.678Z"
				    }
				  ],
				  "next": "order:42"
				}
				""");
		get("/actuator/locks?scope=CLUSTER&from=order:42", (result) -> {
			assertThat(result).bodyJson().extractingPath("$.locks[*].name").asArray().containsExactly("order:43");
			assertThat(result).bodyJson().doesNotHavePath("next");
		});
	}

	@Test
	void hidesNamesFromThoseWhoMayNotSeeThem() {
		monitor.hold("order:42").await("order:43");
		for (String show : List.of("never", "when-authorized")) {
			try (AnnotationConfigServletWebApplicationContext hiding = start(
					"management.endpoint.locks.show-values=" + show)) {
				MockMvcTester hidden = MockMvcTester.from(hiding);
				for (String path : List.of("", "?scope=cluster", "/order:42", "/order:42?scope=cluster",
						"?name=order:42", "?name=order:42&scope=cluster")) {
					assertThat(hidden.get().uri("/actuator/locks" + path)).hasStatusOk()
						.bodyText()
						.contains(SanitizableData.SANITIZED_VALUE)
						.doesNotContain("order:4");
				}
			}
		}
	}

	@Test
	void asksTheSanitizingFunctionsOfTheApplication() {
		monitor.hold("order:42");
		sanitizing.set((data) -> data.getKey().equals("OrderService.ship") ? data.withValue("hidden") : data);
		assertThat(mvc.get().uri("/actuator/locks")).bodyJson()
			.extractingPath("$.held[*].name")
			.asArray()
			.containsExactly("hidden");
	}

	@ParameterizedTest
	@CsvSource({ "patient:Ann Smith, patient", "patient, patient", "patient:Ann:Smith, patient",
			"a\\:b\\\\:c\\:d, a:b\\", "c\\, c\\" })
	void asksTheSanitizingFunctionsByStaticNameWhicheverInstanceHoldsTheLock(String name, String group) {
		monitor.hold(name);
		sanitizing.set((data) -> data.getKey().equals(group) ? data.withValue("hidden") : data);
		assertThat(mvc.get().uri("/actuator/locks?scope=cluster")).bodyJson()
			.extractingPath("$.locks[*].name")
			.asArray()
			.containsExactly("hidden");
		for (String one : List.of("/actuator/locks/{name}?scope=cluster",
				"/actuator/locks?name={name}&scope=cluster")) {
			assertThat(mvc.get().uri(one, name)).bodyJson().extractingPath("$.name").isEqualTo("hidden");
		}
	}

	/** An alert knows what a lock counts under, and no more. */
	@Test
	void listsTheLocksOfAGroup() {
		monitor.hold("invoice:7").hold("order:42").await("order:43");
		get("/actuator/locks?metricName=OrderService.ship", (result) -> {
			assertThat(result).bodyJson().extractingPath("$.held[*].name").asArray().hasSize(2);
			assertThat(result).bodyJson().extractingPath("$.waiting[*].name").asArray().containsExactly("order:43");
		});
		get("/actuator/locks?metricName=OrderService", (result) -> {
			assertThat(result).hasStatusOk();
			assertThat(result).bodyJson().extractingPath("$.held").asArray().isEmpty();
		});
		for (String found : List.of("order", "OrderService.ship")) {
			get("/actuator/locks?scope=cluster&limit=1&from=invoice:7&metricName=" + found,
					(result) -> assertThat(result).bodyJson()
						.extractingPath("$.locks[*].name")
						.asArray()
						.containsExactly("order:42"));
		}
		get("/actuator/locks?scope=cluster&limit=1&metricName=invoice", (result) -> {
			assertThat(result).bodyJson().extractingPath("$.locks[*].name").asArray().containsExactly("invoice:7");
			assertThat(result).bodyJson().extractingPath("$.next").isEqualTo("invoice:7");
		});
		get("/actuator/locks?scope=cluster&limit=1&metricName=order",
				(result) -> assertThat(result).bodyJson()
					.extractingPath("$.locks[*].name")
					.asArray()
					.as("on the second page")
					.containsExactly("order:42"));
	}

	/** As a lock of a quorum may be. */
	@Test
	void listsALockOfAGroupOnceThatIsOnTwoPages() {
		FakeLockMonitor overlapping = new FakeLockMonitor() {

			@Override
			public CompletableFuture<LockPage> locks(String from, int size) {
				Stream<String> names = from.isEmpty() ? Stream.of("order:1", "order:2")
						: Stream.of("order:2", "order:3");
				return CompletableFuture.completedFuture(new LockPage(
						names.map((name) -> inspect(name).join()).toList(), from.isEmpty() ? "second" : "", null));
			}

		};
		LocksEndpoint endpoint = new LocksEndpoint(overlapping, new Sanitizer(), Show.ALWAYS, Set.of());
		assertThat(endpoint.locks(SecurityContext.NONE, null, LockScope.CLUSTER, null, 3, "order", null))
			.isInstanceOfSatisfying(LockSnapshotsDescriptor.class,
					(found) -> assertThat(found.locks())
						.extracting(LockSnapshotsDescriptor.LockSnapshotDescriptor::name)
						.containsExactly("order:1", "order:2", "order:3"));
	}

	@Test
	void saysWhyNotAllLocksAreListed() {
		monitor.limit("planted");
		assertThatJson("/actuator/locks?scope=cluster", "{ \"locks\": [], \"limitation\": \"planted\" }");
	}

	@Test
	void showsOneLockWhicheverInstanceHoldsIt() {
		monitor.hold("tenant/7");
		get("/actuator/locks/tenant/7?scope=cluster",
				(result) -> assertThat(result).bodyJson().extractingPath("$.holders").asArray().hasSize(1));
		get("/actuator/locks/tenant/8?scope=cluster", (result) -> assertThat(result).hasStatus(404));
	}

	@ParameterizedTest
	@ValueSource(strings = { "scope=galaxy", "scope=cluster&limit=0", "scope=cluster&limit=1001",
			"scope=cluster&from=nowhere", "name=order&scope=galaxy" })
	void refusesWhatItDoesNotUnderstand(String query) {
		get("/actuator/locks?" + query, (result) -> assertThat(result).hasStatus(400));
	}

	@ParameterizedTest
	@ValueSource(classes = { LocksDescriptor.class, LocksDescriptor.HeldLockDescriptor.class,
			LocksDescriptor.WaitingLockDescriptor.class, LockSnapshotsDescriptor.class,
			LockSnapshotsDescriptor.LockSnapshotDescriptor.class,
			LockSnapshotsDescriptor.HolderSnapshotDescriptor.class })
	void isWrittenAsJsonInANativeImage(Class<?> descriptor) {
		RuntimeHints hints = new RuntimeHints();
		new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, LocksEndpoint.class);
		assertThat(RuntimeHintsPredicates.reflection().onType(descriptor)).accepts(hints);
	}

	@Test
	void refusesToWrite() {
		monitor.hold("order:42");
		assertThat(mvc.delete().uri("/actuator/locks/order:42")).hasStatus(405);
		assertThat(mvc.post().uri("/actuator/locks/order:42")).hasStatus(405);
		assertThat(mvc.delete().uri("/actuator/locks?name=order:42")).hasStatus(405);
	}

	private void assertThatJson(String path, String expected) {
		get(path, (result) -> {
			assertThat(result).hasStatusOk();
			assertThat(new JsonContent(withRelativeDeadlines(body(result)))).isStrictlyEqualTo(expected);
		});
	}

	private static String body(MvcTestResult result) {
		return new String(result.getResponse().getContentAsByteArray(), StandardCharsets.UTF_8);
	}

	private static String withRelativeDeadlines(String body) {
		return DEADLINE.matcher(body)
			.replaceAll((deadline) -> "in %d s"
				.formatted(Duration.between(Instant.now(), Instant.parse(deadline.group())).toSeconds()));
	}

	private void get(String path, Consumer<MvcTestResult> check) {
		check.accept(mvc.get().uri(URI.create(path)).exchange());
	}

}
