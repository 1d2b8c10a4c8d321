package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.lockstarter.core.CallerContext;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockThreads;
import io.lockstarter.engine.event.Callbacks;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.awaitility.Awaitility.await;

/**
 * Tests for callbacks while threads are few, or cannot be had.
 */
class CallbackTests {

	private static final EngineSettings SETTINGS = new EngineSettings("one", Duration.ofMinutes(1),
			Duration.ofMillis(1500), null, false, 64);

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final DefaultLockRegistry other = new DefaultLockRegistry(new InMemoryLockBackend(this.store), SETTINGS,
			List.of());

	private final AtomicInteger threadsLeft = new AtomicInteger();

	private final ThreadFactory factory = LockThreads.numbered("lock-callback-");

	private final CountDownLatch end = new CountDownLatch(1);

	private DefaultLockRegistry registry = registry(64, this::limited);

	/** As the JVM does it when the system has no thread left. */
	private Thread limited(Runnable task) {
		if (this.threadsLeft.getAndDecrement() <= 0) {
			throw new OutOfMemoryError("unable to create native thread");
		}
		return this.factory.newThread(task);
	}

	private DefaultLockRegistry registry(int threads, ThreadFactory factory) {
		return registry(new Callbacks(threads, factory, null));
	}

	private DefaultLockRegistry registry(Callbacks callbacks) {
		return new DefaultLockRegistry(new InMemoryLockBackend(this.store), SETTINGS, List.of(), List.of(),
				CallerContext.NONE, Registries.ONE, callbacks);
	}

	@AfterEach
	void close() {
		this.end.countDown();
		this.registry.close();
		this.other.close();
	}

	private void assertIsFree(String name) throws InterruptedException {
		this.other.acquire(LockRequest.of(name)).close();
		assertThat(this.registry.heldCount()).isZero();
	}

	private static void assertHasNoThread(CompletableFuture<?> promise) {
		await().until(promise::isDone);
		assertThat(promise.handle((value, failure) -> failure).join()).asInstanceOf(type(LockBackendException.class))
			.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(LockBackendException.Reason.JVM_EXHAUSTED))
			.satisfies((failure) -> assertThat(failure.lockName()).isNotEmpty())
			.satisfies((failure) -> assertThat(failure.mayHaveRun()).isFalse())
			.satisfies((failure) -> assertThat(failure).hasCauseInstanceOf(OutOfMemoryError.class));
	}

	@Test
	void requestFailsAndLockIsGivenBackWhereNoThreadCanBeHad() throws Exception {
		assertHasNoThread(this.registry.acquireAsync(LockRequest.of("lock")));
		assertIsFree("lock");
	}

	@Test
	void workIsNotBegunWhereNoThreadCanBeHad() throws Exception {
		AtomicInteger begun = new AtomicInteger();
		assertHasNoThread(this.registry.executeAsync(LockRequest.of("lock"), () -> {
			begun.incrementAndGet();
			return CompletableFuture.completedFuture("done");
		}));
		assertIsFree("lock");
		assertThat(begun).hasValue(0);
	}

	@Test
	void noneOfSeveralLocksIsKeptWhereNoThreadCanBeHad() throws Exception {
		assertHasNoThread(this.registry.acquireAllAsync(List.of(LockRequest.of("a"), LockRequest.of("b"))));
		assertIsFree("a");
		assertIsFree("b");
	}

	@Test
	void requestThatTimesOutIsToldWhereNoThreadCanBeHad() throws Exception {
		try (LockHandle held = this.other.acquire(LockRequest.of("lock"))) {
			CompletableFuture<LockHandle> promise = this.registry
				.acquireAsync(LockRequest.of("lock").waitTime(Duration.ofMillis(50)));
			await().until(promise::isDone);
			assertThat(promise).isCompletedExceptionally();
		}
		assertThat(this.registry.waitingCount()).isZero();
	}

	@Test
	void dueReleaseNeedsNoCallbackThread() throws Exception {
		LockHandle lock = this.registry.acquire(LockRequest.of("lock").owner(LockOwner.create("task")));
		var released = lock.releaseAfter(Duration.ofMillis(50)).toCompletableFuture();
		assertIsFree("lock");
		assertThat(released).succeedsWithin(Duration.ofSeconds(30));
	}

	@Test
	void releaseIsToldWhereNoThreadCanBeHad() throws Exception {
		LockHandle lock = this.registry.acquire(LockRequest.of("lock"));
		assertThat(lock.releaseAsync().toCompletableFuture()).succeedsWithin(Duration.ofSeconds(30));
		assertIsFree("lock");
	}

	@Test
	void requestWaitsForLiveThreadWhereNoOtherCanBeHad() throws Exception {
		this.threadsLeft.set(1);
		CompletableFuture<Void> first = whenGranted("first", (lock) -> {
			block();
			lock.releaseAsync();
		});
		await().until(() -> this.threadsLeft.get() <= 0);
		CompletableFuture<LockHandle> second = this.registry.acquireAsync(LockRequest.of("second"));
		await().until(() -> this.threadsLeft.get() < 0);
		assertThat(second).isNotDone();
		this.end.countDown();
		second.thenCompose(LockHandle::releaseAsync).join();
		first.join();
		assertIsFree("first");
		assertIsFree("second");
	}

	@Test
	void callbacksUseNoMoreThreadsThanTheyMay() throws Exception {
		Set<Thread> threads = ConcurrentHashMap.newKeySet();
		this.registry.close();
		this.registry = registry(2, this.factory);
		List<CompletableFuture<Void>> all = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			all.add(whenGranted("lock" + i, (lock) -> {
				threads.add(Thread.currentThread());
				block();
				lock.releaseAsync();
			}));
		}
		await().until(() -> threads.size() == 2);
		await().until(() -> this.registry.heldCount() == 20);
		// The others have to wait, as do callbacks alone.
		try (LockHandle lock = this.registry.acquire(LockRequest.of("blocking"))) {
			lock.extend(Duration.ofSeconds(3));
		}
		this.end.countDown();
		all.forEach(CompletableFuture::join);
		await().until(() -> this.registry.heldCount() == 0);
		assertThat(threads).hasSize(2);
	}

	@Test
	void fullPoolHoldsUpNeitherRenewalsNorDueReleases() throws Exception {
		this.registry.close();
		this.registry = registry(1, this.factory);
		CompletableFuture<Void> blocked = whenGranted("held", (lock) -> {
			block();
			assertThat(lock.isValid()).isTrue();
			lock.releaseAsync();
		});
		LockHandle kept = this.registry.acquire(LockRequest.of("kept").owner(LockOwner.create("task")));
		kept.releaseAfter(Duration.ofSeconds(3));
		await().until(() -> kept.remainingLease().compareTo(Duration.ofSeconds(2)) > 0);
		// Free after more than two leases of the lock that is held.
		this.other.acquire(LockRequest.of("kept")).close();
		assertThat(this.other.tryAcquire(LockRequest.of("held").waitTime(Duration.ZERO))).isEmpty();
		this.end.countDown();
		assertThat(blocked).succeedsWithin(Duration.ofSeconds(30));
	}

	@Test
	void callbackGoesOnWithoutVirtualThread() throws Exception {
		this.threadsLeft.set(1);
		this.registry.close();
		this.registry = registry(new Callbacks(64, this::limited, (task) -> {
			throw new OutOfMemoryError("unable to create native thread");
		}));
		this.registry.acquireAsync(LockRequest.of("lock")).thenCompose(LockHandle::releaseAsync).join();
		assertIsFree("lock");
	}

	@Test
	void callbacksRunOnThreadsThatDoNotKeepTheJvmAlive() throws Exception {
		this.registry.close();
		this.registry = registry(new Callbacks(64));
		Thread[] thread = new Thread[1];
		whenGranted("lock", (lock) -> {
			thread[0] = Thread.currentThread();
			lock.releaseAsync();
		}).join();
		assertThat(thread[0].isDaemon()).isTrue();
	}

	/** Waits for the lock, so that the action does not run on this thread. */
	private CompletableFuture<Void> whenGranted(String name, Consumer<LockHandle> action) throws InterruptedException {
		try (LockHandle held = this.other.acquire(LockRequest.of(name))) {
			return this.registry.acquireAsync(LockRequest.of(name)).thenAccept(action);
		}
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
