package io.lockstarter.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener.Outcome;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistryClosedException;
import io.lockstarter.core.LockRequest;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Taking a lock without blocking a thread.
 */
interface AsyncSemantics extends TwoRegistries {

	@Test
	default void grantsAFreeLockAsynchronously() {
		LockHandle handle = Actor.resultOf(one().acquireAsync(request()));
		assertThat(handle.isValid()).isTrue();
		assertThat(handle.owner().thread()).isNull();
		assertThat(otherLock().tryLock()).isFalse();
		actor().run(handle::close);
		assertNothingLeft();
	}

	@Test
	default void tellsByTheFutureWhatIsWrongWithARequest() {
		LockRequest tooShort = request().leaseTime(Duration.ofMillis(1));
		LockRequest elsewhere = request().registry("unknown");
		LockRequest ofThread = request().owner(LockOwner.currentThread());
		List<CompletableFuture<?>> futures = List.of(one().acquireAsync(tooShort), one().acquireAsync(elsewhere),
				one().executeAsync(tooShort, CompletableFuture::new),
				one().executeAsync(elsewhere, CompletableFuture::new),
				one().executeAsync(ofThread, CompletableFuture::new), one().acquireAllAsync(List.of()),
				one()
					.acquireAllAsync(List.of(request(), LockRequest.of(name() + "-b").leaseTime(Duration.ofMillis(1)))),
				one().acquireAllAsync(List.of(request(), elsewhere)), one().acquireAllAsync(List.of(elsewhere)),
				one().acquireAllAsync(List.of(ofThread, request().owner(LockOwner.create("other")))));
		assertThat(futures).allSatisfy((future) -> assertThat(future).failsWithin(Actor.PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(IllegalArgumentException.class));
		assertNothingLeft();
	}

	@Test
	default void grantsAsynchronouslyOnceTheLockIsFreed() {
		for (var holding : List.of(lock(), otherLock())) {
			holding.lock();
			CompletableFuture<LockHandle> future = one().acquireAsync(request());
			awaitWaiting(one(), 1);
			assertThat(future).isNotDone();
			holding.unlock();
			Actor.resultOf(future).close();
		}
		assertNothingLeft();
	}

	@Test
	default void timesOutAsynchronously() {
		otherLock().lock();
		Duration wait = Duration.ofMillis(100);
		long start = System.nanoTime();
		assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
			.isThrownBy(() -> Actor.resultOf(one().acquireAsync(request().waitTime(wait))))
			.satisfies((ex) -> assertThat(ex.holder()).isPresent());
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(wait);
		assertThat(events().notAcquired).containsExactly(Outcome.TIMEOUT);
		otherLock().unlock();
		assertNothingLeft();
	}

	@Test
	default void triesOnceAsynchronously() {
		LockRequest once = request().waitTime(Duration.ZERO);
		Actor.resultOf(one().acquireAsync(once)).close();
		otherLock().lock();
		assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
			.isThrownBy(() -> Actor.resultOf(one().acquireAsync(once)));
	}

	@Test
	default void endsEveryAsynchronousWaitHoweverShort() {
		otherLock().lock();
		List<CompletableFuture<LockHandle>> futures = new ArrayList<>();
		for (int i = 0; i < 2000; i++) {
			futures.add(one().acquireAsync(request().waitTime(Duration.ofNanos(1 + i * 1000))));
		}
		await().atMost(Actor.PATIENCE).until(() -> futures.stream().allMatch(CompletableFuture::isDone));
		assertThat(futures).allSatisfy((future) -> assertThat(future).isCompletedExceptionally());
	}

	@Test
	default void withdrawsACancelledRequest() {
		otherLock().lock();
		CompletableFuture<LockHandle> future = one().acquireAsync(request());
		awaitWaiting(one(), 1);
		assertThat(future.cancel(false)).isTrue();
		assertThat(one().waitingCount()).isZero();
		await().untilAsserted(() -> assertThat(events().notAcquired).containsExactly(Outcome.CANCELLED));
		otherLock().unlock();
		assertNothingLeft();
	}

	@Test
	default void withdrawsARequestWhoseFutureWasCompletedByTheCaller() {
		otherLock().lock();
		CompletableFuture<LockHandle> future = one().acquireAsync(request()).orTimeout(1, TimeUnit.MILLISECONDS);
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> Actor.resultOf(future));
		await().untilAsserted(() -> assertThat(one().waitingCount()).isZero());
		otherLock().unlock();
		assertNothingLeft();
	}

	@Test
	default void releasesAGrantThatComesAfterTheCallerCompletedTheFuture() {
		otherLock().lock();
		CompletableFuture<LockHandle> future = one().acquireAsync(request());
		awaitWaiting(one(), 1);
		future.completeExceptionally(new TimeoutException());
		otherLock().unlock();
		assertNothingLeft();
	}

	@Test
	default void releasesALateGrantThoughItsOwnerIsAThread() {
		otherLock().lock();
		CompletableFuture<LockHandle> future = one().acquireAsync(request().owner(LockOwner.currentThread()));
		awaitWaiting(one(), 1);
		future.completeExceptionally(new TimeoutException());
		otherLock().unlock();
		assertNothingLeft();
	}

	@Test
	default void leavesNothingBehindWheneverARequestIsCancelled() {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		for (int i = 0; i < 60 * effort(); i++) {
			boolean contended = i % 2 == 0;
			if (contended) {
				otherLock().lock();
			}
			CompletableFuture<LockHandle> future = one().acquireAsync(request());
			Pauses.micros(random.nextInt(1000));
			if (contended) {
				otherLock().unlock();
				Pauses.micros(random.nextInt(1000));
			}
			if (!future.cancel(false)) {
				future.join().close();
			}
		}
		assertNothingLeft();
	}

	@Test
	default void completesOnAThreadThatMayBlock() {
		Blocker blocker = new Blocker();
		otherLock().lock();
		CompletableFuture<LockHandle> future = one().acquireAsync(request());
		awaitWaiting(one(), 1);
		CompletableFuture<String> thread = future.thenApply((handle) -> {
			blocker.block();
			return Thread.currentThread().getName();
		});
		otherLock().unlock();
		await().until(blocker::isBlocking);
		// Meanwhile others get their locks and their answers.
		Actor.resultOf(one().acquireAsync(LockRequest.of(name() + "-other"))).close();
		assertThat(one().get(name() + "-other").tryLock()).isTrue();
		blocker.release();
		assertThat(Actor.resultOf(thread)).startsWith("lock-callback");
	}

	@Test
	default void reEntersAsynchronouslyForTheSameExplicitOwner() {
		LockRequest request = request().owner(LockOwner.create("task"));
		LockHandle outer = Actor.resultOf(one().acquireAsync(request));
		LockHandle inner = Actor.resultOf(one().acquireAsync(request));
		assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
		assertThat(one().get(request).holdCount()).isEqualTo(2);
		outer.close();
		assertThat(inner.isValid()).isTrue();
		assertThat(otherLock().tryLock()).isFalse();
		inner.close();
		assertNothingLeft();
	}

	@Test
	default void letsAnOwnerInAsOftenAsItAskedAtOnce() throws InterruptedException {
		LockHandle held = two().acquire(request());
		LockRequest ofTask = request().owner(LockOwner.create("task"));
		CompletableFuture<LockHandle> first = one().acquireAsync(ofTask);
		CompletableFuture<LockHandle> stranger = one().acquireAsync(request());
		CompletableFuture<LockHandle> again = one().acquireAsync(ofTask);
		held.close();
		LockHandle outer = Actor.resultOf(first);
		LockHandle inner = Actor.resultOf(again);
		assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
		outer.close();
		assertThat(inner.isValid()).isTrue();
		assertThat(stranger).isNotDone();
		inner.close();
		Actor.resultOf(stranger).close();
		assertNothingLeft();
	}

	@Test
	default void keepsRequestsWithoutAnOwnerApart() {
		LockHandle first = Actor.resultOf(one().acquireAsync(request()));
		CompletableFuture<LockHandle> second = one().acquireAsync(request());
		awaitWaiting(one(), 1);
		assertThat(second).isNotDone();
		first.close();
		assertThat(Actor.resultOf(second).fencingToken()).isGreaterThan(first.fencingToken());
	}

	@Test
	default void releasesAsynchronously() {
		LockHandle handle = Actor.resultOf(one().acquireAsync(request()));
		assertThat(handle.releaseAsync()).succeedsWithin(Actor.PATIENCE);
		assertNothingLeft();
	}

	@Test
	default void failsAsynchronousRequestsAfterTheRegistryClosed() {
		one().close();
		assertThatExceptionOfType(LockRegistryClosedException.class)
			.isThrownBy(() -> Actor.resultOf(one().acquireAsync(request())));
	}

	/**
	 * Holds a thread up until it is told otherwise.
	 */
	final class Blocker {

		private final CountDownLatch blocking = new CountDownLatch(1);

		private final CountDownLatch released = new CountDownLatch(1);

		void block() {
			this.blocking.countDown();
			try {
				this.released.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		boolean isBlocking() {
			return this.blocking.getCount() == 0;
		}

		void release() {
			this.released.countDown();
		}

	}

}
