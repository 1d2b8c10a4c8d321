package io.lockstarter.application;

import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lockstarter.testing.ChildJvm;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for applications that lack libraries which locks can do without, each in a JVM
 * without their jars.
 */
class MissingLibraryTests {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	/** Beside those that a test leaves out; most applications have neither. */
	private static final List<String> RARE = List.of("kotlin", "rxjava", "spring-integration", "shedlock");

	@Test
	void locksInRedisWorkWithoutReactor() {
		try (RedisServer redis = RedisServer.startGuarded();
				ChildJvm application = start(List.of("reactor", "reactive-streams", "lettuce", "micrometer"),
						"spring.data.redis.client-type=jedis", "spring.data.redis.host=" + redis.host(),
						"spring.data.redis.port=" + redis.port())) {
			expect(application, "reactor.core.publisher.Mono: absent", "kotlin.Unit: absent",
					"org.springframework.data.redis.core.RedisTemplate: present", "plain under plain",
					"stage under stage");
			String refusal = application.awaitLine((line) -> line.startsWith("publisher"), PATIENCE);
			assertThat(refusal).startsWith("publisher refused")
				.contains("with Reactor on the class path a Mono or Flux");
			expect(application, "done");
			assertThat(redis.commandCalls("evalsha") + redis.commandCalls("eval")).isPositive();
		}
	}

	@Test
	void locksWorkWithoutTransactions() {
		try (ChildJvm application = start(List.of("spring-tx", "spring-jdbc", "spring-data", "lettuce", "jedis"),
				"distributed-lock.backend=in-memory")) {
			expect(application, "org.springframework.transaction.TransactionManager: absent",
					"reactor.core.publisher.Mono: present", "plain under plain", "stage under stage",
					"publisher accepted: true", "done");
		}
	}

	/** Nothing but Spring itself, and a backend that needs no more. */
	@Test
	void locksWorkWithoutAnythingElse() {
		try (ChildJvm application = start(
				List.of("spring-tx", "spring-jdbc", "spring-data", "lettuce", "jedis", "reactor", "reactive-streams",
						"micrometer", "aspectjweaver", "spring-boot-actuator", "spring-web", "netty", "jackson"),
				"distributed-lock.backend=in-memory")) {
			expect(application, "reactor.core.publisher.Mono: absent", "io.lettuce.core.RedisClient: absent",
					"org.springframework.transaction.TransactionManager: absent", "org.aspectj.weaver.Advice: absent",
					"io.micrometer.core.instrument.Meter: absent", "plain under plain", "stage under stage", "done");
		}
	}

	private static void expect(ChildJvm application, String... lines) {
		for (String line : lines) {
			application.awaitLine(line::equals, PATIENCE);
		}
	}

	private static ChildJvm start(List<String> without, String... properties) {
		List<String> missing = Stream.concat(without.stream(), RARE.stream()).toList();
		String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> missing.stream().noneMatch((name) -> new File(entry).getName().startsWith(name)))
			.collect(Collectors.joining(File.pathSeparator));
		return ChildJvm.start(Path.of(System.getProperty("java.home")), List.of("-cp", classPath),
				SmallApplication.class, properties);
	}

}
