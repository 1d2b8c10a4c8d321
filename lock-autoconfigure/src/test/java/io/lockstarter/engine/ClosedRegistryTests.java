package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistryClosedException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what goes on after a registry was closed, while its backend hangs.
 */
class ClosedRegistryTests {

	private static final EngineSettings SETTINGS = new EngineSettings("one", Duration.ofMinutes(1),
			Duration.ofSeconds(30), null, false, 64);

	private final HangingBackend backend = new HangingBackend(new InMemoryLockStore());

	private final CountDownLatch end = new CountDownLatch(1);

	private final CompletableFuture<String> listenerThread = new CompletableFuture<>();

	private final LockListener listener = new LockListener() {

		@Override
		public void released(LockHandle lock, Duration held) {
			ClosedRegistryTests.this.listenerThread.complete(Thread.currentThread().getName());
		}

	};

	private final DefaultLockRegistry registry = new DefaultLockRegistry(this.backend.backend(), SETTINGS,
			List.of(this.listener));

	@AfterEach
	void close() {
		this.end.countDown();
		this.registry.close();
	}

	private LockHandle take(String name) throws InterruptedException {
		return this.registry.acquire(LockRequest.of(name).owner(LockOwner.create(name)));
	}

	@Test
	void releasesThatAreDueDoNotWaitForOneAnother() throws Exception {
		LockHandle first = take("first");
		LockHandle second = take("second");
		this.backend.hanging = "release";
		var firstReleased = first.releaseAfter(Duration.ofMillis(100)).toCompletableFuture();
		var secondReleased = second.releaseAfter(Duration.ofMillis(200)).toCompletableFuture();
		this.registry.close();
		await().until(() -> this.backend.count("release").get() >= 2);
		await().until(() -> firstReleased.isDone() && secondReleased.isDone());
	}

	@Test
	void releaseCompletesThatIsAskedForAfterTheTimerHasEnded() throws Exception {
		LockHandle held = this.registry
			.acquire(LockRequest.of("held").owner(LockOwner.create("owner")).leaseTime(Duration.ofMillis(100)));
		take("other").releaseAfter(Duration.ZERO).toCompletableFuture().join();
		Thread timer = this.backend.thread("release");
		this.registry.close();
		await().until(() -> !timer.isAlive());
		var released = held.releaseAfter(Duration.ofMillis(10)).toCompletableFuture();
		await().until(released::isDone);
		assertThat(released).isCompletedExceptionally();
	}

	@Test
	void listenerHearsOfDueReleaseOnCallbackThread() throws Exception {
		LockHandle lock = take("kept");
		this.backend.hanging = "release";
		lock.releaseAfter(Duration.ofMillis(100));
		this.registry.close();
		await().until(this.listenerThread::isDone);
		assertThat(this.listenerThread.join()).startsWith("lock-callback");
	}

	@Test
	void callbackThatBlocksDoesNotStopTimeouts() throws Exception {
		LockHandle lock = take("held");
		this.backend.hanging = "release";
		CompletableFuture<?> released = lock.releaseAsync().toCompletableFuture();
		CompletableFuture<String> thread = new CompletableFuture<>();
		released.thenRun(() -> {
			thread.complete(Thread.currentThread().getName());
			block();
		});
		LockHandle other = take("other");
		CompletableFuture<?> otherReleased = other.releaseAsync().toCompletableFuture();
		this.registry.close();
		await().until(otherReleased::isDone);
		await().until(thread::isDone);
		assertThat(thread.join()).startsWith("lock-callback");
	}

	@Test
	void refusedRequestIsToldOnCallbackThread() throws Exception {
		take("held");
		CompletableFuture<LockHandle> waiting = this.registry.acquireAsync(LockRequest.of("held"));
		CompletableFuture<String> thread = waiting.handle((lock, failure) -> {
			assertThat(failure).isInstanceOf(LockRegistryClosedException.class);
			return Thread.currentThread().getName();
		});
		this.registry.close();
		await().until(thread::isDone);
		assertThat(thread.join()).startsWith("lock-callback");
	}

	private void block() {
		try {
			this.end.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
