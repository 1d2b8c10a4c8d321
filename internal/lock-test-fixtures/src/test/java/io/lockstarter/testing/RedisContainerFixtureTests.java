package io.lockstarter.testing;

import java.io.UncheckedIOException;
import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link RedisContainerFixture}.
 */
@Needs(Tool.DOCKER)
class RedisContainerFixtureTests {

	@Test
	void keepsItsPortWhenKilledAndRestarted() {
		try (RedisFixture redis = RedisContainerFixture.start()) {
			redis.cli("SET", "a", "b");
			redis.kill();
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> redis.cli("PING"));
			redis.restart();
			assertThat(redis.cli("GET", "a")).isNull();
		}
	}

	@Test
	void answersNothingWhileStopped() {
		try (RedisFixture redis = RedisContainerFixture.start();
				RespClient client = RespClient.connect(redis.host(), redis.port(), Duration.ofMillis(200))) {
			redis.stop();
			assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> client.call("PING"));
			redis.resume();
			assertThat(redis.cli("PING")).isEqualTo("PONG");
		}
	}

}
