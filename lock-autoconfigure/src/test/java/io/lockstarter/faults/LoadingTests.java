package io.lockstarter.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testing.RespClient;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * A Redis that was restarted, and takes a while to load its data.
 */
class LoadingTests extends RedisOfItsOwn {

	private static final int KEYS = 300;

	/** Redis answers each time when it has loaded as much. */
	private static final int VALUE_BYTES = 4096;

	/** How long it would take without an end to the waiting. */
	private static final Duration LONGEST = Duration.ofSeconds(10);

	@Test
	void loadingRedisIsATypedErrorUntilItHasLoaded() throws Exception {
		DefaultLockRegistry registry = registry(Duration.ofSeconds(30));
		registry.acquire(LockRequest.of("a")).close();
		restartLoading();
		assertRefused(registry);
		assertRefused(registry(Duration.ofSeconds(30)));
		assertThat(isLoading()).as("still loading").isTrue();
		finishLoading();
		registry.acquire(LockRequest.of("a")).close();
	}

	@Test
	void lockSurvivesALoadingThatIsShorterThanTheLease() throws Exception {
		LockHandle handle = observedRegistry(Duration.ofSeconds(4)).acquire(LockRequest.of("a"));
		restartLoading();
		await().until(() -> this.events.failedRenewals.get() > 0);
		assertThat(isLoading()).as("still loading").isTrue();
		finishLoading();
		int before = this.events.renewals.get();
		await().until(() -> this.events.renewals.get() > before + 1);
		assertThat(handle.isValid()).isTrue();
		assertThat(this.events.losses).isEmpty();
		handle.close();
		assertThat(isLocked("a")).isFalse();
	}

	@Test
	void lockIsLostByTheDeadlineOfALeaseThatEndsWhileRedisLoads() throws Exception {
		LockHandle handle = observedRegistry(Duration.ofMillis(1200)).acquire(LockRequest.of("a"));
		restartLoading();
		assertThat(this.events.loss().reason()).isEqualTo(LockLoss.Reason.LEASE_EXPIRED);
		assertThat(isLoading()).as("still loading").isTrue();
		assertThat(handle.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
	}

	/** Restart with all data, each key of which takes its time, until told otherwise. */
	private void restartLoading() throws IOException {
		assumeThat(this.redis.info("redis_version")).as("Redis 7 answers while it loads").doesNotStartWith("6.");
		this.redis.cli("CONFIG", "SET", "rdbcompression", "no");
		try (RespClient client = this.redis.connect()) {
			for (int i = 0; i < KEYS; i++) {
				client.call("SET", "key-" + i, "x".repeat(VALUE_BYTES));
			}
			client.call("SAVE");
		}
		Files.writeString(this.redis.directory().resolve("redis.conf"),
				"key-load-delay %d%nloading-process-events-interval-bytes %d%n"
					.formatted(LONGEST.toNanos() / 1000 / KEYS, VALUE_BYTES));
		this.redis.restartLoading();
	}

	private boolean isLoading() {
		return this.redis.info("loading").equals("1");
	}

	private void finishLoading() {
		this.redis.cli("CONFIG", "SET", "key-load-delay", "0");
		await().until(() -> !isLoading());
	}

	private static void assertRefused(DefaultLockRegistry registry) {
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> registry.acquire(LockRequest.of("a").waitTime(Duration.ofSeconds(5))))
			.satisfies((failure) -> assertThat(failure.reason()).as(Throwables.getStackTrace(failure))
				.isEqualTo(Reason.LOADING));
	}

}
