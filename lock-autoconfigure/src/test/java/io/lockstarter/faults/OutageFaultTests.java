package io.lockstarter.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.NamedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A Redis that is away while somebody waits.
 */
class OutageFaultTests extends RedisOfItsOwn {

	private static final Duration LEASE = Duration.ofSeconds(30);

	/** Longer than it takes to ask again, and to see that there is no answer. */
	private static final Duration OUTAGE = Duration.ofSeconds(4);

	@Test
	void whoAsksForTheHolderIsToldThatThereIsNoAnswer() throws Exception {
		NamedLock lock = registry(LEASE).get("asked");
		assertThat(lock.isLocked()).isFalse();
		this.redis.stop();
		assertUnanswered(lock::isLocked);
		assertUnanswered(lock::remainingLeaseOfHolder);
		this.redis.resume();
		await().ignoreException(LockBackendException.class).until(() -> !lock.isLocked());
		this.redis.kill();
		assertUnanswered(lock::isLocked);
	}

	private static void assertUnanswered(ThrowingCallable question) {
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(question)
			.withMessageContaining("asked")
			.satisfies((failure) -> assertThat(failure.reason()).isIn(Reason.TIMEOUT, Reason.UNREACHABLE))
			.satisfies((failure) -> assertThat(failure.getStackTrace()).as("the caller's")
				.extracting(StackTraceElement::getClassName)
				.contains(OutageFaultTests.class.getName()));
	}

	@Test
	void whoStandsInTheQueueGetsTheLockWhenRedisIsBack() throws Exception {
		DefaultLockRegistry holder = registry(LEASE);
		DefaultLockRegistry registry = registry(LEASE);
		List<LockHandle> held = new ArrayList<>();
		List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
		for (LockType type : LockType.values()) {
			LockRequest request = LockRequest.of(type.name()).waitTime(LEASE);
			held.add(holder.acquire(request));
			waiting.add(registry.acquireAsync(request.type(type)));
			waiting.add(registry.acquireAsync(request));
			await().until(() -> this.redis.cli("ZCARD", key(type.name()) + ":waiters").equals(1L));
		}
		this.redis.stop();
		CompletableFuture<LockHandle> first = registry.acquireAsync(LockRequest.of("first").waitTime(LEASE));
		await().pollDelay(OUTAGE).until(() -> true);
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
			.withCauseInstanceOf(LockBackendException.class);
		assertThat(waiting).noneMatch(CompletableFuture::isDone);
		this.redis.resume();
		held.forEach(LockHandle::close);
		for (CompletableFuture<LockHandle> request : waiting) {
			request.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
		}
	}

}
