package io.lockstarter.application;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockstarter.testing.ChildJvm;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * No call blocks a thread of Reactor or an event loop of Lettuce, the very first one
 * included.
 */
class BlockHoundTests {

	/** BlockHound rewrites native methods, which a JVM must be told to allow. */
	private static final List<String> JVM_OPTIONS = List.of("-XX:+AllowRedefinitionToAddDeleteMethods",
			"-XX:+EnableDynamicAgentLoading");

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	@Test
	void locksOfOneServerBlockNothing() {
		try (RedisServer redis = RedisServer.startGuarded()) {
			assertThat(blockedWith("spring.data.redis.host=" + redis.host(), "spring.data.redis.port=" + redis.port()))
				.isEmpty();
		}
	}

	@Tag("stress")
	@Test
	void locksOfAQuorumBlockNothing() {
		List<RedisServer> servers = IntStream.range(0, 3).mapToObj((i) -> RedisServer.startGuarded()).toList();
		try {
			// New servers do not vote before leases that they may not know of have ended.
			assertThat(blockedWith("distributed-lock.quorum.longest-lease=2s", "distributed-lock.lease-time=2s",
					"distributed-lock.quorum.nodes=%s,%s,%s".formatted(servers.get(0).uri(), servers.get(1).uri(),
							servers.get(2).uri())))
				.isEmpty();
		}
		finally {
			servers.forEach(RedisServer::close);
		}
	}

	/** What blocked, or failed, apart from what does so on purpose. */
	private static List<String> blockedWith(String... properties) {
		try (ChildJvm jvm = ChildJvm.start(JVM_OPTIONS, ReactiveApplication.class, properties)) {
			jvm.awaitLine("done"::equals, PATIENCE);
			List<String> findings = Stream.of("blocked: ", "failed: ")
				.flatMap((prefix) -> jvm.output().stream().filter((line) -> line.startsWith(prefix)))
				.toList();
			assertThat(findings).as("shows that a call that blocks is seen")
				.anyMatch((line) -> line.startsWith("blocked: ") && line.contains(ReactiveApplication.BLOCKING));
			return findings.stream().filter((line) -> !line.contains(ReactiveApplication.BLOCKING)).toList();
		}
	}

}
