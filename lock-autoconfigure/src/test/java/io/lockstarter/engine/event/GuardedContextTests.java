package io.lockstarter.engine.event;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.core.CallerContext;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for locks whose caller's context fails.
 */
class GuardedContextTests {

	private static final EngineSettings SETTINGS = new EngineSettings("one", Duration.ofMinutes(1),
			Duration.ofMillis(1500), null, false, 64);

	private final AtomicInteger asked = new AtomicInteger();

	private DefaultLockRegistry registry;

	private DefaultLockRegistry registry(CallerContext context) {
		return new DefaultLockRegistry(new InMemoryLockBackend(new InMemoryLockStore()), SETTINGS, List.of(), List.of(),
				context);
	}

	private Executor failing(String message) {
		this.asked.incrementAndGet();
		throw new IllegalStateException(message);
	}

	@AfterEach
	void close() {
		this.registry.close();
	}

	private void assertLocksWork() throws Exception {
		CompletableFuture<LockHandle> promise = this.registry
			.acquireAsync(LockRequest.of("lock").owner(LockOwner.create("task")));
		await().until(promise::isDone);
		CompletableFuture<?> released = promise.join().releaseAsync().toCompletableFuture();
		await().until(released::isDone);
		assertThat(this.registry.executeAsync(LockRequest.of("lock"), () -> CompletableFuture.completedFuture("done")))
			.succeedsWithin(Duration.ofSeconds(30))
			.isEqualTo("done");
		LockHandle kept = this.registry.acquire(LockRequest.of("lock").owner(LockOwner.create("task")));
		CompletableFuture<?> due = kept.releaseAfter(Duration.ofMillis(50)).toCompletableFuture();
		await().until(due::isDone);
		assertThat(due).isCompleted();
		assertThat(this.registry.heldCount()).isZero();
		assertThat(this.asked).hasPositiveValue();
	}

	@Test
	void locksWorkThoughContextCannotBeCaptured() throws Exception {
		this.registry = registry(() -> failing("planted in capture"));
		assertLocksWork();
	}

	@Test
	void locksWorkThoughContextCannotBeSet() throws Exception {
		this.registry = registry(() -> (task) -> failing("planted before the task"));
		assertLocksWork();
	}

	@Test
	void locksWorkThoughContextCannotBeTakenBack() throws Exception {
		this.registry = registry(() -> (task) -> {
			task.run();
			failing("planted after the task");
		});
		assertLocksWork();
	}

}
