package io.lockstarter.contract;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener.Outcome;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistryClosedException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * How a registry ends.
 */
interface ShutdownSemantics extends TwoRegistries {

	@Test
	default void refusesThoseWhoWaitOnShutdown() throws InterruptedException {
		otherLock().lock();
		Future<?> blocking = actor().begin(() -> lock().lock());
		awaitWaiting(one(), 1);
		CompletableFuture<LockHandle> future = one().acquireAsync(request());
		awaitWaiting(one(), 2);
		assertThat(one().shutdown(Actor.PATIENCE)).as("drained").isTrue();
		assertThatExceptionOfType(LockRegistryClosedException.class).isThrownBy(() -> Actor.resultOf(blocking))
			.withMessageContaining(name());
		assertThatExceptionOfType(LockRegistryClosedException.class).isThrownBy(() -> Actor.resultOf(future));
		await().untilAsserted(() -> assertThat(events().notAcquired).containsExactly(Outcome.CLOSED, Outcome.CLOSED));
		otherLock().unlock();
		assertNothingLeft();
	}

	@Test
	default void drainsAtOnceWhereNobodyHoldsButSomeWait() throws InterruptedException {
		otherLock().lock();
		Future<?> blocking = actor().begin(() -> lock().lock());
		awaitWaiting(one(), 1);
		// Its reply follows that to the request, which is refused by then
		one().inspect(name()).join();
		CompletableFuture<LockHandle> future = one().acquireAsync(request());
		CompletableFuture<LockHandle> joint = one()
			.acquireAllAsync(List.of(LockRequest.of("a-" + name()), request(), LockRequest.of(name() + "-last")));
		await().until(() -> one().heldCount() == 1);
		awaitWaiting(one(), 3);
		one().beginEnding(Duration.ofDays(1));
		actor().run(() -> one().awaitQuiet(Duration.ofMillis(10), Duration.ofDays(1)));
		for (Future<?> waiting : List.of(blocking, future, joint)) {
			assertThatExceptionOfType(LockRegistryClosedException.class).isThrownBy(() -> Actor.resultOf(waiting))
				.withMessageContaining(name());
		}
		otherLock().unlock();
		assertNothingLeft();
	}

	@Test
	default void refusesThoseWhoWaitAtOnceWhileHoldersFinish() {
		LockOwner owner = LockOwner.create("task");
		LockHandle handle = Actor.resultOf(one().acquireAsync(request().owner(owner)));
		Future<?> behind = actor().begin(() -> lock().lock());
		awaitWaiting(one(), 1);
		one().beginEnding(Duration.ofDays(1));
		Future<?> drained = actor().begin(() -> one().awaitQuiet(Duration.ofMillis(10), Duration.ofDays(1)));
		assertThatExceptionOfType(LockRegistryClosedException.class).isThrownBy(() -> Actor.resultOf(behind));
		Actor.resultOf(one().acquireAsync(LockRequest.of(name() + "-free"))).close();
		assertThat(drained).isNotDone();
		handle.close();
		Actor.resultOf(drained);
		assertNothingLeft();
	}

	@Test
	default void grantsNothingAfterShutdown() throws InterruptedException {
		one().shutdown(Duration.ZERO);
		assertThatExceptionOfType(LockRegistryClosedException.class).isThrownBy(() -> lock().lock());
		assertThatExceptionOfType(LockRegistryClosedException.class).isThrownBy(() -> lock().tryLock());
		assertThatExceptionOfType(LockRegistryClosedException.class).isThrownBy(() -> one().acquire(request()));
		assertThatExceptionOfType(LockRegistryClosedException.class)
			.isThrownBy(() -> Actor.resultOf(one().acquireAsync(request())));
		assertThat(events().acquired).isEmpty();
		assertNothingLeft();
	}

	@Test
	default void letsHoldersFinishOnShutdown() {
		Events events = new Events();
		DefaultLockRegistry registry = open(RENEWED_LEASE, events);
		LockHandle handle = Actor.resultOf(registry.acquireAsync(request()));
		Future<Boolean> drained = actor().ask(() -> registry.shutdown(Actor.PATIENCE));
		await().until(() -> isRefusing(registry));
		int before = events.renewals.get();
		await().failFast("lost", () -> !handle.isValid()).until(() -> events.renewals.get() >= before + 2);
		assertThat(drained).isNotDone();
		assertThat(otherLock().tryLock()).isFalse();
		handle.close();
		assertThat(Actor.resultOf(drained)).isTrue();
		assertThat(events.losses).isEmpty();
		assertNothingLeft();
	}

	@Test
	default void letsHoldersReEnterOnShutdown() {
		LockOwner owner = LockOwner.create("task");
		LockHandle outer = Actor.resultOf(one().acquireAsync(request().owner(owner)));
		Future<Boolean> drained = actor().ask(() -> one().shutdown(Actor.PATIENCE));
		await().until(() -> isRefusing(one()));
		Actor.resultOf(one().acquireAsync(request().owner(owner))).close();
		assertThat(drained).isNotDone();
		outer.close();
		assertThat(Actor.resultOf(drained)).isTrue();
	}

	private boolean isRefusing(DefaultLockRegistry registry) {
		try {
			registry.get(name() + "-other").lock();
			registry.get(name() + "-other").unlock();
			return false;
		}
		catch (LockRegistryClosedException ex) {
			return true;
		}
	}

	@Test
	default void leavesWhatIsHeldAfterTheDrainToExpire() throws InterruptedException {
		DefaultLockRegistry registry = open(RENEWED_LEASE);
		LockHandle handle = acquireInTime(registry, request().owner(LockOwner.create("task")));
		Duration drain = Duration.ofMillis(50);
		long start = System.nanoTime();
		assertThat(registry.shutdown(drain)).as("drained").isFalse();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(drain);
		assertThat(otherLock().tryLock()).as("released under its holder").isFalse();
		lockInTime(otherLock());
		assertThat(handle.isValid()).isFalse();
	}

	@Test
	default void letsWhatIsKeptEndWithItsTimeAndNotWithItsLease() throws InterruptedException {
		LockHandle handle = Actor.resultOf(one().acquireAsync(request()));
		Duration time = Duration.ofMillis(200);
		long start = System.nanoTime();
		handle.releaseAfter(time);
		assertThat(one().shutdown(Actor.PATIENCE)).as("drained").isTrue();
		one().close();
		lockInTime(otherLock());
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(time, LEASE.dividedBy(2));
	}

	@Test
	default void waitsForWorkUnderALockThatAnEntryHasKept() {
		LockOwner owner = LockOwner.create("task");
		LockHandle outer = Actor.resultOf(one().acquireAsync(request().owner(owner)));
		LockHandle inner = Actor.resultOf(one().acquireAsync(request().owner(owner)));
		Actor.resultOf(inner.releaseAfter(Duration.ofMillis(1)).toCompletableFuture());
		Future<Boolean> drained = actor().ask(() -> one().shutdown(Actor.PATIENCE));
		await().until(() -> isRefusing(one()));
		await().during(Duration.ofMillis(100)).until(() -> !drained.isDone());
		outer.close();
		assertThat(Actor.resultOf(drained)).isTrue();
	}

	@Test
	default void endsAShutdownThatIsInterrupted() throws InterruptedException {
		one().acquire(request());
		Actor closer = actor();
		Future<Boolean> drained = closer.ask(() -> one().shutdown(Actor.PATIENCE));
		await().until(() -> closer.thread().getState() == Thread.State.TIMED_WAITING);
		closer.interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> Actor.resultOf(drained));
	}

	@Test
	default void refusesThoseWhoWaitOnClose() {
		otherLock().lock();
		Future<?> blocking = actor().begin(() -> lock().lock());
		awaitWaiting(one(), 1);
		CompletableFuture<LockHandle> future = one().acquireAsync(request());
		awaitWaiting(one(), 2);
		one().close();
		assertThatExceptionOfType(LockRegistryClosedException.class).isThrownBy(() -> Actor.resultOf(blocking));
		assertThatExceptionOfType(LockRegistryClosedException.class).isThrownBy(() -> Actor.resultOf(future));
	}

	@Test
	default void releasesWhatIsStillHeldWhenItsHolderFinishesAfterClose() throws InterruptedException {
		LockHandle handle = one().acquire(request());
		one().close();
		handle.close();
		assertThat(isForgotten(name())).isTrue();
	}

}
