package io.lockstarter.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Work that is handed to the registry together with its lock.
 */
class ExecuteTests {

	private static final LockRequest REQUEST = LockRequest.of("work");

	private final InMemoryLockBackend backend = new InMemoryLockBackend(new InMemoryLockStore());

	private final DefaultLockRegistry registry = new DefaultLockRegistry(this.backend,
			new EngineSettings("here", Duration.ofSeconds(20), Duration.ofSeconds(30), null, false, 64), List.of());

	@AfterEach
	void close() {
		this.registry.close();
		this.backend.close();
	}

	@Test
	void doesTheWorkUnderTheLock() throws InterruptedException {
		String result = this.registry.execute(REQUEST, () -> {
			assertThat(this.registry.get("work").isHeldByCurrentOwner()).isTrue();
			assertThat(LockContext.current().name()).isEqualTo("work");
			return "done";
		});
		assertThat(result).isEqualTo("done");
		assertThat(LockContext.find()).isEmpty();
		assertFree();
	}

	@Test
	void doesWorkWithoutAResult() throws InterruptedException {
		AtomicBoolean done = new AtomicBoolean();
		this.registry.execute(REQUEST, () -> done.set(this.registry.get("work").isHeldByCurrentOwner()));
		assertThat(done).isTrue();
		assertFree();
	}

	@Test
	void keepsTheCheckedExceptionOfTheWork() {
		IOException failure = new IOException("planted");
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> read(failure)).isSameAs(failure);
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> write(failure)).isSameAs(failure);
		assertFree();
	}

	/** That it compiles is what this shows: no other exception is to be caught. */
	private String read(IOException failure) throws IOException, InterruptedException {
		return this.registry.execute(REQUEST, () -> {
			if (failure != null) {
				throw failure;
			}
			return "read";
		});
	}

	private void write(IOException failure) throws IOException, InterruptedException {
		this.registry.execute(REQUEST, () -> {
			throw failure;
		});
	}

	@Test
	void doesNotDoTheWorkWithoutTheLock() throws InterruptedException {
		try (LockHandle other = hold()) {
			AtomicBoolean done = new AtomicBoolean();
			assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
				.isThrownBy(() -> this.registry.execute(REQUEST.waitTime(Duration.ZERO), () -> done.set(true)));
			assertThat(done).isFalse();
		}
	}

	@Test
	void tellsOfALockThatWasLostUnderTheWork() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.registry.execute(REQUEST, () -> this.registry.forceRelease("work")));
		IOException failure = new IOException("planted");
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.registry.execute(REQUEST, () -> {
			this.registry.forceRelease("work");
			throw failure;
		})).satisfies((ex) -> assertThat(ex.getSuppressed()).hasExactlyElementsOfTypes(LockLostException.class));
	}

	@Test
	void holdsTheLockUntilTheStageIsDone() {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.registry.executeAsync(REQUEST, () -> {
			assertThat(LockContext.current().name()).isEqualTo("work");
			return work;
		});
		await().until(() -> this.registry.heldCount() == 1);
		assertThat(result).isNotDone();
		work.complete("done");
		assertThat(result).succeedsWithin(Duration.ofSeconds(20)).isEqualTo("done");
		assertFree();
	}

	/** It could not be released where the stage is completed. */
	@Test
	void refusesWorkOfAThreadThatGoesOnWithoutIt() {
		LockRequest request = REQUEST.owner(LockOwner.currentThread());
		assertThat(this.registry.executeAsync(request, CompletableFuture::new)).failsWithin(Duration.ofSeconds(20))
			.withThrowableThat()
			.withCauseInstanceOf(IllegalArgumentException.class)
			.withMessageContaining("'work' cannot belong to a thread")
			.withMessageContaining("LockOwner.create");
		assertFree();
	}

	@Test
	void failsAsTheStageDoes() {
		IOException failure = new IOException("planted");
		for (boolean atOnce : List.of(true, false)) {
			CompletableFuture<String> result = this.registry.executeAsync(REQUEST, () -> {
				if (atOnce) {
					throw new CompletionException(failure);
				}
				return CompletableFuture.failedFuture(failure);
			});
			assertThat(result).failsWithin(Duration.ofSeconds(20))
				.withThrowableOfType(ExecutionException.class)
				.withCause(failure);
			assertFree();
		}
	}

	@Test
	void failsWhenTheLockWasLostOrCannotBeReleased() {
		CompletableFuture<String> lost = this.registry.executeAsync(REQUEST, () -> {
			this.registry.forceRelease("work");
			return CompletableFuture.completedFuture("done");
		});
		assertThat(lost).failsWithin(Duration.ofSeconds(20))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(LockLostException.class);
		CompletableFuture<String> closed = this.registry.executeAsync(REQUEST, () -> {
			LockContext.current().close();
			return CompletableFuture.completedFuture("done");
		});
		assertThat(closed).failsWithin(Duration.ofSeconds(20))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(IllegalMonitorStateException.class);
	}

	@Test
	void withdrawsTheRequestWhenTheResultIsCancelled() throws InterruptedException {
		AtomicBoolean done = new AtomicBoolean();
		try (LockHandle other = hold()) {
			CompletableFuture<String> result = this.registry.executeAsync(REQUEST, () -> {
				done.set(true);
				return CompletableFuture.completedFuture("done");
			});
			await().until(() -> this.registry.waitingCount() == 1);
			result.cancel(false);
			await().until(() -> this.registry.waitingCount() == 0);
		}
		assertFree();
		assertThat(done).isFalse();
	}

	@Test
	void holdsTheLockForWorkWhoseResultIsCancelled() {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.registry.executeAsync(REQUEST, () -> work);
		await().until(() -> this.registry.heldCount() == 1);
		result.cancel(true);
		assertThat(result).isCancelled();
		assertThat(work).isNotDone();
		assertThat(this.registry.heldCount()).isOne();
		work.complete("done");
		assertFree();
	}

	@Test
	void holdsTheLockForWorkThatCannotBeCancelled() {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletionStage<String> stage = work.minimalCompletionStage();
		CompletableFuture<String> result = this.registry.executeAsync(REQUEST, () -> stage);
		await().until(() -> this.registry.heldCount() == 1);
		result.cancel(false);
		assertThat(this.registry.heldCount()).isOne();
		work.complete("done");
		assertFree();
	}

	private LockHandle hold() throws InterruptedException {
		return this.registry.acquire(REQUEST.owner(LockOwner.create("other")));
	}

	private void assertFree() {
		await().until(() -> this.registry.heldCount() == 0 && this.backend.holders("work").join().holders().isEmpty());
	}

}
