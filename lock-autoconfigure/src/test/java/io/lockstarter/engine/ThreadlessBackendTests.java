package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for a client library that can start no thread, and throws an error.
 */
class ThreadlessBackendTests {

	private static final EngineSettings SETTINGS = new EngineSettings("one", Duration.ofSeconds(1),
			Duration.ofMillis(1500), null, false, 64);

	private final HangingBackend backend = new HangingBackend(new InMemoryLockStore());

	private final DefaultLockRegistry registry = new DefaultLockRegistry(this.backend.backend(), SETTINGS, List.of());

	@AfterEach
	void close() {
		this.registry.close();
	}

	@Test
	void requestFailsAndTheNextOneGetsTheLock() throws Exception {
		this.backend.failing = "acquire";
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> this.registry.acquire(LockRequest.of("lock")))
			.withMessageContaining("unable to create native thread");
		CompletableFuture<LockHandle> promise = this.registry.acquireAsync(LockRequest.of("lock"));
		await().until(promise::isDone);
		assertThat(promise).isCompletedExceptionally();
		this.backend.failing = "";
		this.registry.acquire(LockRequest.of("lock")).close();
	}

	@Test
	void renewalIsTriedAgain() throws Exception {
		try (LockHandle lock = this.registry.acquire(LockRequest.of("lock"))) {
			this.backend.failing = "renew";
			await().until(() -> this.backend.count("renew").get() > 0);
			this.backend.failing = "";
			int before = this.backend.count("renew").get();
			await().until(() -> this.backend.count("renew").get() >= before + 3);
			assertThat(lock.isValid()).isTrue();
		}
	}

	@Test
	void releaseIsTriedAgain() throws Exception {
		LockHandle lock = this.registry.acquire(LockRequest.of("lock").owner(LockOwner.create("task")));
		this.backend.failing = "release";
		var released = lock.releaseAfter(Duration.ofMillis(50)).toCompletableFuture();
		await().until(released::isDone);
		this.backend.failing = "";
		this.registry.acquire(LockRequest.of("lock").waitTime(Duration.ofSeconds(20))).close();
	}

}
