package io.lockstarter.faults;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.engine.DefaultLockRegistry;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A Redis that is away while somebody waits.
 */
class OutageFaultTests extends RedisOfItsOwn {

	private static final Duration LEASE = Duration.ofSeconds(30);

	/** Longer than a question takes that gets no answer. */
	private static final Duration OUTAGE = Duration.ofSeconds(3);

	@ParameterizedTest
	@EnumSource(LockType.class)
	void whoStandsInTheQueueGetsTheLockWhenRedisIsBack(LockType type) throws Exception {
		LockHandle held = registry(LEASE).acquire(LockRequest.of("a"));
		DefaultLockRegistry registry = registry(LEASE);
		CompletableFuture<LockHandle> first = registry.acquireAsync(LockRequest.of("a").type(type).waitTime(LEASE));
		CompletableFuture<LockHandle> second = registry.acquireAsync(LockRequest.of("a").waitTime(LEASE));
		await().until(() -> this.redis.cli("ZCARD", key("a") + ":waiters").equals(1L));
		await().until(() -> registry.waitingCount() == 2);
		this.redis.stop();
		CompletableFuture<LockHandle> other = registry.acquireAsync(LockRequest.of("b").waitTime(LEASE));
		await().pollDelay(OUTAGE).until(() -> true);
		assertThatExceptionOfType(Exception.class).as("a first request")
			.isThrownBy(() -> other.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
		assertThat(first).isNotDone();
		assertThat(second).isNotDone();
		this.redis.resume();
		held.close();
		first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
		second.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
	}

}
