package io.lockstarter.testing;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link RedisServer}, with {@link RespClient} and {@link CommandStats}.
 */
class RedisServerTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	@Test
	void answersWithEachTypeOfReply() {
		try (RedisServer redis = RedisServer.start()) {
			assertThat(redis.cli("SET", "a", "b\r\n\u00e9")).isEqualTo("OK");
			assertThat(redis.cli("GET", "a")).isEqualTo("b\r\n\u00e9");
			assertThat(redis.cli("INCR", "n")).isEqualTo(1L);
			assertThat(redis.cli("GET", "none")).isNull();
			assertThat(redis.cli("EVAL", "return {1, {'x'}, false}", "0"))
				.isEqualTo(Arrays.asList(1L, List.of("x"), null));
			assertThatExceptionOfType(RespClient.ErrorReply.class).isThrownBy(() -> redis.cli("INCR", "a"))
				.withMessageContaining("not an integer");
		}
	}

	@Test
	void readsPushedMessages() {
		try (RedisServer redis = RedisServer.start(); RespClient subscriber = redis.connect()) {
			subscriber.call("SUBSCRIBE", "news");
			redis.cli("PUBLISH", "news", "hello");
			assertThat(subscriber.read()).isEqualTo(List.of("message", "news", "hello"));
		}
	}

	@Test
	void countsCommandsBetweenSnapshots() {
		try (RedisServer redis = RedisServer.start()) {
			redis.cli("PING");
			CommandStats before = redis.stats();
			redis.cli("EVAL", "redis.call('hset', KEYS[1], 'f', 'v') redis.call('hset', KEYS[1], 'g', 'v')", "1", "h");
			CommandStats delta = redis.stats().minus(before);
			assertThat(delta.calls("EVAL")).isEqualTo(1);
			assertThat(delta).hasToString("{eval=1, hset=2}");
			assertThat(delta.total()).isEqualTo(3);
			assertThat(redis.commandCalls("hset")).isEqualTo(2);
			redis.resetStats();
			assertThat(redis.stats().total()).isZero();
		}
	}

	@Test
	void forgetsDataWhenRestarted() {
		try (RedisServer redis = RedisServer.start()) {
			redis.cli("SET", "a", "b");
			redis.restart();
			assertThat(redis.cli("GET", "a")).isNull();
		}
	}

	@Test
	void restartsAfterKillOnSamePortWithSameFilesAndOptions() {
		try (RedisServer redis = RedisServer.start("--appendonly", "yes", "--appendfsync", "always", "--requirepass",
				"secret")) {
			int port = redis.port();
			redis.cli("SET", "a", "b");
			redis.kill();
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> redis.cli("PING"));
			redis.restart();
			assertThat(redis.port()).isEqualTo(port);
			assertThat(redis.cli("GET", "a")).isEqualTo("b");
		}
	}

	@Test
	void answersNothingWhileStopped() {
		try (RedisServer redis = RedisServer.start();
				RespClient impatient = RespClient.connect(redis.host(), redis.port(), Duration.ofMillis(100));
				RespClient patient = redis.connect()) {
			redis.stop();
			patient.send("INCR", "n");
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> impatient.call("PING"));
			redis.resume();
			assertThat(patient.read()).isEqualTo(1L);
		}
	}

	@Test
	void failsWithTheLogWhenAnOptionIsWrong() {
		assertThatIllegalStateException().isThrownBy(() -> RedisServer.start("--no-such-option", "1"))
			.withMessageContaining("no-such-option")
			.withMessageContaining("FATAL CONFIG FILE ERROR");
	}

	@Test
	void refusesToRestartOnForeignServersPort() throws Exception {
		try (RedisServer redis = RedisServer.start()) {
			redis.kill();
			try (var foreign = Ports.listen(redis.port())) {
				assertThatIllegalStateException().isThrownBy(redis::restart).withMessageContaining("taken");
			}
		}
	}

	@Test
	void refusesToRestartOnTakenBusPort() throws Exception {
		try (RedisServer redis = RedisServer.start("--cluster-enabled", "yes")) {
			redis.kill();
			try (var foreign = Ports.listen(redis.port() + 10_000)) {
				assertThatIllegalStateException().isThrownBy(redis::restart).withMessageContaining("taken");
			}
		}
	}

	@Test
	void keepsRewrittenConfigurationOverARestart() {
		try (RedisServer redis = RedisServer.start()) {
			redis.cli("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
			redis.cli("CONFIG", "REWRITE");
			redis.restart();
			assertThat(redis.info("maxmemory_policy")).isEqualTo("allkeys-lru");
		}
	}

	@Test
	void leavesNothingWhenClosed() {
		RedisServer redis = RedisServer.start();
		redis.stop();
		redis.close();
		assertThat(redis.isAlive()).isFalse();
		assertThat(Files.exists(redis.directory())).isFalse();
		assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> redis.cli("PING"));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void diesWhenItsJvmIsKilled(boolean stopped) {
		try (ChildJvm child = ChildJvm.start(Main.class, String.valueOf(stopped))) {
			int port = Integer.parseInt(child.awaitLine((line) -> line.matches("\\d+"), PATIENCE));
			RespClient.connect("127.0.0.1", port).close();
			child.kill();
			await().atMost(PATIENCE)
				.untilAsserted(() -> assertThatExceptionOfType(UncheckedIOException.class)
					.isThrownBy(() -> RespClient.connect("127.0.0.1", port).close()));
		}
	}

	static final class Main {

		public static void main(String[] args) {
			ChildJvm.exitWithParent();
			RedisServer redis = RedisServer.start();
			if (Boolean.parseBoolean(args[0])) {
				redis.stop();
			}
			System.out.println(redis.port());
			new CompletableFuture<Void>().join();
		}

	}

	@Test
	void tellsWhatThePublishedRulesDoNotAllow() {
		for (RedisServer redis : List.of(RedisServer.startGuarded(), RedisServer.startOldest())) {
			try (RespClient locks = RespClient.connect(redis.host(), redis.port())) {
				locks.call("HSET", "lock:{a}", "field", "value");
				assertThat(redis.violations()).isEmpty();
				assertThatExceptionOfType(RespClient.ErrorReply.class)
					.isThrownBy(() -> locks.call("HSET", "other", "field", "value"));
				assertThatExceptionOfType(RespClient.ErrorReply.class)
					.isThrownBy(() -> locks.call("SUBSCRIBE", "other"));
				assertThat(redis.violations()).hasSize(2);
			}
			assertThat(redis.cli("GET", "other")).isNull();
			assertThatExceptionOfType(AssertionError.class).isThrownBy(redis::close)
				.withMessageContaining("published rules");
		}
	}

}
