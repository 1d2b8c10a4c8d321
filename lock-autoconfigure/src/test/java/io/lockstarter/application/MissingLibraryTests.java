package io.lockstarter.application;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.testing.ChildJvm;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for applications that lack libraries which locks can do without: whether they are
 * configured for it, and in JVMs without the jars, whether they run.
 */
class MissingLibraryTests {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	/** Beside those that a test leaves out; most applications have none of them. */
	private static final List<String> RARE = List.of("kotlin", "rxjava", "spring-integration", "shedlock",
			"context-propagation");

	private static final List<String> RARE_PACKAGES = List.of("kotlin", "kotlinx", "io.reactivex",
			"org.springframework.integration", "net.javacrumbs.shedlock", "io.micrometer.context");

	private static final List<String> ACTUATOR = List.of("spring-boot-actuator", "spring-boot-health");

	private static final List<String> MICROMETER = List.of("micrometer-core", "micrometer-jakarta",
			"spring-boot-micrometer-metrics");

	private static final List<String> REACTOR = List.of("reactor", "reactive-streams", "lettuce");

	private static final Pattern COMPLAINT = Pattern.compile("\\b(WARN|ERROR)\\b");

	@TempDir
	private Path directory;

	/** Each library with the packages that an application has not without it. */
	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					nothing | none | LockGauges LockHealthIndicator LockMeters MeterInitializer LockObservationTimers LockObservations LocksEndpoint RecentRefusals
					Actuator | org.springframework.boot.actuate.endpoint, org.springframework.boot.health.contributor | LockGauges LockMeters MeterInitializer \
					LockObservationTimers LockObservations
					Micrometer's core | io.micrometer.core | LockHealthIndicator LockObservations LocksEndpoint RecentRefusals
					Micrometer | io.micrometer | LockHealthIndicator LocksEndpoint RecentRefusals
					AspectJ's weaver | org.aspectj | LockGauges LockHealthIndicator LockMeters MeterInitializer LockObservationTimers \
					LockObservations LocksEndpoint RecentRefusals
					Reactor | reactor, org.reactivestreams, io.lettuce | LockGauges LockHealthIndicator LockMeters MeterInitializer \
					LockObservationTimers LockObservations LocksEndpoint RecentRefusals
					transactions | org.springframework.transaction, org.springframework.jdbc, org.springframework.data | \
					LockGauges LockHealthIndicator LockMeters MeterInitializer LockObservationTimers LockObservations LocksEndpoint RecentRefusals
					""")
	void locksAreConfiguredWithout(String library, String packages, String observers) {
		String[] missing = Stream.concat(Stream.of(packages.split(", ")), RARE_PACKAGES.stream())
			.toArray(String[]::new);
		new ApplicationContextRunner()
			.withUserConfiguration(SmallApplication.Application.class, SmallApplication.Service.class)
			.withPropertyValues("distributed-lock.backend=in-memory", "management.endpoints.web.exposure.include=locks")
			.withClassLoader(new FilteredClassLoader(missing))
			.run((context) -> {
				assertThat(SmallApplication.observers(context).split(" ")).as("without %s", library)
					.containsExactlyInAnyOrder(("LockFlightRecorder SlowLockWarnings " + observers).split(" "));
				SmallApplication.Service service = context.getBean(SmallApplication.Service.class);
				assertThat(service.plain(() -> {
				})).isEqualTo("plain");
				assertThat(service.stage()).succeedsWithin(PATIENCE).isEqualTo("stage");
			});
	}

	/** So that what others lack is there when nothing is missing. */
	@Test
	@Tag("stress")
	void locksAreShownByWhateverIsThere() {
		locksInRedis(List.of(), "org.aspectj.weaver.Advice: present",
				"observed by LockFlightRecorder LockGauges LockHealthIndicator LockMeters LockObservationTimers"
						+ " LockObservations LocksEndpoint MeterInitializer RecentRefusals SlowLockWarnings");
	}

	@Test
	@Tag("stress")
	void locksInRedisWorkWithoutActuator() {
		locksInRedis(ACTUATOR, "org.springframework.boot.actuate.endpoint.annotation.Endpoint: absent",
				"io.micrometer.core.instrument.Meter: present",
				"observed by LockFlightRecorder LockGauges LockMeters LockObservationTimers LockObservations"
						+ " MeterInitializer SlowLockWarnings");
	}

	@Test
	@Tag("stress")
	void locksInRedisWorkWithoutMicrometersCore() {
		locksInRedis(MICROMETER, "io.micrometer.core.instrument.Meter: absent",
				"org.springframework.boot.actuate.endpoint.annotation.Endpoint: present",
				"observed by LockFlightRecorder LockHealthIndicator LockObservations LocksEndpoint RecentRefusals"
						+ " SlowLockWarnings");
	}

	@Test
	@Tag("stress")
	void locksInRedisWorkWithoutAspectJsWeaver() {
		locksInRedis(List.of("aspectjweaver"), "org.aspectj.weaver.Advice: absent",
				"reactor.core.publisher.Mono: present", "publisher accepted: true");
	}

	@Test
	@Tag("stress")
	void locksInRedisWorkWithoutReactor() {
		assertThatPublisherIsRefused(locksInRedis(REACTOR, "reactor.core.publisher.Mono: absent",
				"io.micrometer.core.instrument.Meter: present"));
	}

	private static void assertThatPublisherIsRefused(List<String> told) {
		assertThat(told).anySatisfy((line) -> assertThat(line).startsWith("publisher refused")
			.contains("with Reactor on the class path a Mono or Flux"));
	}

	@Test
	@Tag("stress")
	void locksWorkWithoutTransactions() {
		try (ChildJvm application = start(List.of("spring-tx", "spring-jdbc", "spring-data", "lettuce", "jedis"),
				"distributed-lock.backend=in-memory")) {
			application.send("go on");
			expect(application, "org.springframework.transaction.TransactionManager: absent",
					"reactor.core.publisher.Mono: present", "plain under plain", "stage under stage",
					"publisher accepted: true", "done");
		}
	}

	/** Nothing but Spring itself, and a backend that needs no more. */
	@Test
	void locksWorkWithoutAnythingElse() throws IOException {
		List<String> missing = new ArrayList<>(List.of("spring-tx", "spring-jdbc", "spring-data", "jedis", "micrometer",
				"aspectjweaver", "spring-web", "netty", "jackson"));
		Stream.of(ACTUATOR, MICROMETER, REACTOR).forEach(missing::addAll);
		try (ChildJvm application = start(missing, "distributed-lock.backend=in-memory")) {
			application.send("go on");
			expect(application, "reactor.core.publisher.Mono: absent", "io.lettuce.core.RedisClient: absent",
					"org.springframework.transaction.TransactionManager: absent", "org.aspectj.weaver.Advice: absent",
					"io.micrometer.core.instrument.Meter: absent", "observed by LockFlightRecorder SlowLockWarnings",
					"another thread under null", "plain under plain", "stage under stage", "done");
			assertThatPublisherIsRefused(application.output());
		}
		assertThat(loadedClasses()).anyMatch((type) -> type.startsWith("io.lockstarter.aop."))
			.noneMatch((type) -> type.startsWith("io.lockstarter.fence."));
	}

	@Test
	void noClassOfTheFenceIsLoadedWhereNothingIsFenced() throws IOException {
		try (ChildJvm application = start(List.of("lettuce", "jedis"), "distributed-lock.backend=in-memory")) {
			application.send("go on");
			expect(application, "plain under plain", "done");
		}
		assertThat(loadedClasses()).anyMatch((type) -> type.startsWith("org.springframework.jdbc."))
			.noneMatch((type) -> type.startsWith("io.lockstarter.fence."));
	}

	private List<String> loadedClasses() throws IOException {
		return Files.readAllLines(this.directory.resolve("classes"));
	}

	/**
	 * Expect an application to lock its methods in Redis without a complaint.
	 * @param missing what it lacks
	 * @param lines what else it has to tell
	 * @return all that it told
	 */
	private List<String> locksInRedis(List<String> missing, String... lines) {
		try (RedisServer redis = RedisServer.startGuarded();
				ChildJvm application = start(missing,
						"spring.data.redis.client-type=" + (missing.contains("lettuce") ? "jedis" : "lettuce"),
						"spring.data.redis.host=" + redis.host(), "spring.data.redis.port=" + redis.port())) {
			expect(application, "another thread under null");
			assertThat(redis.cli("EXISTS", "lock:{plain}")).as("while the method runs").isEqualTo(1L);
			application.send("go on");
			expect(application, "plain under plain", "stage under stage", "done");
			assertThat(redis.cli("EXISTS", "lock:{plain}")).as("after the method").isEqualTo(0L);
			List<String> told = application.output();
			assertThat(told).contains(lines);
			assertThat(told.subList(0, told.indexOf("stage under stage"))).as("before a publisher may be refused")
				.noneMatch((line) -> COMPLAINT.matcher(line).find());
			return told;
		}
	}

	private static void expect(ChildJvm application, String... lines) {
		for (String line : lines) {
			application.awaitLine(line::equals, PATIENCE);
		}
	}

	private ChildJvm start(List<String> without, String... properties) {
		List<String> missing = Stream.concat(without.stream(), RARE.stream()).toList();
		String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> missing.stream().noneMatch((name) -> new File(entry).getName().startsWith(name)))
			.collect(Collectors.joining(File.pathSeparator));
		return ChildJvm.start(Path.of(System.getProperty("java.home")), List
			.of("-Xlog:class+load=info:file=%s:none".formatted(this.directory.resolve("classes")), "-cp", classPath),
				SmallApplication.class, properties);
	}

}
