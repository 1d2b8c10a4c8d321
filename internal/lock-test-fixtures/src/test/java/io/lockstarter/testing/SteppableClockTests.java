package io.lockstarter.testing;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link SteppableClock}.
 */
@Needs(Tool.CLOCK)
class SteppableClockTests {

	private final SteppableClock clock = SteppableClock.create();

	private final RedisServer redis = RedisServer.startGuarded(this.clock);

	@BeforeEach
	void stop() {
		this.clock.stop();
		await().until(this::stands);
	}

	private boolean stands() {
		long first = micros();
		return micros() == first;
	}

	@AfterEach
	void close() {
		this.redis.close();
		this.clock.close();
	}

	@Test
	void stoppedClockStandsUntilItIsStepped() {
		long stopped = micros();
		this.clock.step(Duration.ofMillis(1500));
		awaitMicros(stopped + 1_500_000);
		this.clock.step(Duration.ofMillis(-1));
		awaitMicros(stopped + 1_499_000);
	}

	@Test
	void clockGoesOnFromWhereItStood() {
		this.clock.step(Duration.ofHours(1));
		long stopped = micros();
		this.clock.resume();
		await().until(() -> micros() > stopped);
		assertThat(micros() - stopped).isBetween(1L, Duration.ofMinutes(5).toNanos() / 1000);
		this.clock.step(Duration.ofHours(1));
		await().until(() -> micros() - stopped > Duration.ofMinutes(59).toNanos() / 1000);
	}

	@Test
	void nothingExpiresBeforeTheStoppedClockIsStepped() {
		this.redis.cli("SET", "key", "value", "PX", "100");
		assertThat(this.redis.cli("PTTL", "key")).isEqualTo(100L);
		this.clock.step(Duration.ofMillis(100));
		await().until(() -> this.redis.cli("PTTL", "key").equals(0L));
		this.clock.step(Duration.ofMillis(1));
		await().until(() -> this.redis.cli("GET", "key") == null);
	}

	private void awaitMicros(long expected) {
		await().untilAsserted(() -> assertThat(micros()).isEqualTo(expected));
	}

	private long micros() {
		List<?> time = (List<?>) this.redis.cli("TIME");
		return Long.parseLong(time.get(0).toString()) * 1_000_000 + Long.parseLong(time.get(1).toString());
	}

}
