package io.lockstarter.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener.Outcome;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.NamedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testing.Liveness;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * {@link java.util.concurrent.locks.Lock}, point by point.
 */
public interface LockSemantics extends TwoRegistries {

	@Test
	default void excludesOtherThreadsAndOtherRegistries() {
		lock().lock();
		assertThat(actor().call(() -> lock().tryLock())).isFalse();
		assertThat(otherLock().tryLock()).isFalse();
		lock().unlock();
		assertThat(otherLock().tryLock()).isTrue();
		assertThat(lock().tryLock()).isFalse();
		otherLock().unlock();
		assertNothingLeft();
	}

	@Test
	default void letsOneThreadInAtATime() {
		int threads = 6;
		int rounds = 60;
		int[] unguarded = new int[1];
		List<Future<?>> all = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			DefaultLockRegistry registry = (i % 2 == 0) ? one() : two();
			all.add(actor().begin(() -> {
				NamedLock lock = registry.get(name());
				for (int round = 0; round < rounds; round++) {
					lock.lock();
					int before = unguarded[0];
					Thread.yield();
					unguarded[0] = before + 1;
					lock.unlock();
				}
			}));
		}
		all.forEach(Actor::resultOf);
		assertThat(unguarded[0]).isEqualTo(threads * rounds);
		assertNothingLeft();
	}

	@Test
	default void letsTheNextThreadInAfterUnlock() {
		lock().lock();
		Future<?> local = actor().begin(() -> lock().lock());
		awaitWaiting(one(), 1);
		lock().unlock();
		assertThat(local).succeedsWithin(Actor.PATIENCE);
	}

	@Test
	default void letsTheOtherRegistryInAfterUnlock() {
		lock().lock();
		Actor other = actor();
		Future<?> remote = other.begin(() -> otherLock().lock());
		awaitWaiting(two(), 1);
		lock().unlock();
		assertThat(remote).succeedsWithin(Actor.PATIENCE);
		other.run(() -> otherLock().unlock());
		assertNothingLeft();
	}

	@Test
	default void staysHeldUntilTheOutermostUnlock() {
		NamedLock lock = lock();
		lock.lock();
		assertThat(lock.tryLock()).isTrue();
		lock().lock();
		assertThat(lock.holdCount()).isEqualTo(3);
		lock.unlock();
		lock.unlock();
		assertThat(lock.holdCount()).isOne();
		assertThat(otherLock().tryLock()).isFalse();
		lock.unlock();
		assertThat(lock.holdCount()).isZero();
		assertNothingLeft();
	}

	@Test
	default void countsReEntriesToLargeNumbers() {
		int entries = 100_000;
		NamedLock lock = lock();
		for (int i = 0; i < entries; i++) {
			lock.lock();
		}
		assertThat(lock.holdCount()).isEqualTo(entries);
		for (int i = 1; i < entries; i++) {
			lock.unlock();
		}
		assertThat(lock.holdCount()).isOne();
		assertThat(otherLock().tryLock()).isFalse();
		lock.unlock();
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(lock::unlock);
		assertNothingLeft();
	}

	@Test
	default void reEntersWhileOthersWait() {
		lock().lock();
		actor().begin(() -> lock().lock());
		actor().begin(() -> otherLock().lock());
		awaitWaiting(one(), 1);
		awaitWaiting(two(), 1);
		assertThat(lock().tryLock()).isTrue();
		assertThat(lock().holdCount()).isEqualTo(2);
	}

	@Test
	default void refusesUnlockByOneWhoNeverLocked() {
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> lock().unlock())
			.isInstanceOfSatisfying(LockNotHeldException.class, (ex) -> assertThat(ex.lockName()).isEqualTo(name()))
			.withMessageContaining(name())
			.withMessageContaining(Thread.currentThread().getName());
		assertNothingLeft();
	}

	@Test
	default void refusesUnlockByAnotherThread() {
		lock().lock();
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> actor().run(() -> lock().unlock()));
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> otherLock().unlock());
		assertThat(lock().isHeldByCurrentOwner()).isTrue();
		assertThat(otherLock().tryLock()).isFalse();
	}

	@Test
	default void refusesOneUnlockTooMany() {
		lock().lock();
		lock().unlock();
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> lock().unlock());
	}

	@Test
	default void showsTheHoldToItsOwnerOnly() {
		NamedLock lock = lock();
		lock.lock();
		assertThat(lock.isHeldByCurrentOwner()).isTrue();
		assertThat(lock.remainingLease()).isBetween(LEASE.minusSeconds(10), LEASE);
		assertThat(lock.fencingToken()).isPositive();
		Actor stranger = actor();
		assertThat(stranger.call(lock::isHeldByCurrentOwner)).isFalse();
		assertThat(stranger.call(lock::holdCount)).isZero();
		assertThat(stranger.call(lock::remainingLease)).isZero();
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> stranger.call(lock::fencingToken));
		assertThat(otherLock().isHeldByCurrentOwner()).isFalse();
	}

	@Test
	default void tryLockDoesNotWaitForAHeldLock() {
		lock().lock();
		assertThat(actor().call(() -> lock().tryLock())).isFalse();
		assertThat(otherLock().tryLock()).isFalse();
		assertThat(one().waitingCount()).isZero();
		assertThat(two().waitingCount()).isZero();
	}

	@Test
	default void timedTryLockTakesAFreeLock() throws InterruptedException {
		assertThat(lock().tryLock(10, TimeUnit.SECONDS)).isTrue();
		assertThat(lock().tryLock(10, TimeUnit.SECONDS)).isTrue();
		assertThat(lock().holdCount()).isEqualTo(2);
	}

	@Test
	default void timedTryLockGetsALockThatIsFreedInTime() {
		lock().lock();
		Actor first = actor();
		Future<Boolean> local = first.ask(() -> lock().tryLock(20, TimeUnit.SECONDS));
		Actor second = actor();
		Future<Boolean> remote = second.ask(() -> otherLock().tryLock(20, TimeUnit.SECONDS));
		awaitWaiting(one(), 1);
		awaitWaiting(two(), 1);
		lock().unlock();
		await().until(() -> local.isDone() || remote.isDone());
		if (local.isDone()) {
			first.run(() -> lock().unlock());
		}
		else {
			second.run(() -> otherLock().unlock());
		}
		assertThat(Actor.resultOf(local)).isTrue();
		assertThat(Actor.resultOf(remote)).isTrue();
	}

	@Test
	default void timedTryLockGivesUpAfterItsTimeAndNotBefore() {
		lock().lock();
		for (NamedLock lock : List.of(lock(), otherLock())) {
			Duration asked = Duration.ofMillis(100);
			Duration waited = actor().call(() -> {
				long start = System.nanoTime();
				assertThat(lock.tryLock(asked.toNanos(), TimeUnit.NANOSECONDS)).isFalse();
				return Duration.ofNanos(System.nanoTime() - start);
			});
			assertThat(waited).isGreaterThanOrEqualTo(asked);
		}
		lock().unlock();
		assertNothingLeft();
	}

	@Test
	default void timedTryLockWithNoTimeTriesOnce() {
		for (long time : new long[] { 0, -1, Long.MIN_VALUE }) {
			assertThat(actor().call(() -> {
				boolean taken = lock().tryLock(time, TimeUnit.SECONDS);
				lock().unlock();
				return taken;
			})).isTrue();
		}
		lock().lock();
		assertThat(actor().call(() -> lock().tryLock(0, TimeUnit.SECONDS))).isFalse();
		assertThat(actor().call(() -> otherLock().tryLock(-1, TimeUnit.SECONDS))).isFalse();
	}

	@Test
	default void timedTryLockTakesAFreeLockHoweverShortTheTime() throws InterruptedException {
		assertThat(lock().tryLock(1, TimeUnit.NANOSECONDS)).isTrue();
	}

	@Test
	default void timedTryLockWaitsForEverWithTheLongestTime() {
		otherLock().lock();
		Future<Boolean> waiting = actor().ask(() -> lock().tryLock(Long.MAX_VALUE, TimeUnit.DAYS));
		awaitWaiting(one(), 1);
		otherLock().unlock();
		assertThat(Actor.resultOf(waiting)).isTrue();
	}

	@Test
	@Tag("stress")
	default void countsLocalAndRemoteWaitingAgainstOneDeadline() throws Exception {
		otherLock().lock();
		Duration first = Duration.ofMillis(400);
		Duration second = Duration.ofMillis(600);
		// With a clock of its own for each stage it takes both times.
		Liveness.within("waiting behind another who waits", first.plus(second), () -> {
			Future<Boolean> ahead = actor().ask(() -> lock().tryLock(first.toMillis(), TimeUnit.MILLISECONDS));
			awaitWaiting(one(), 1);
			Duration waited = actor().call(() -> {
				long start = System.nanoTime();
				assertThat(lock().tryLock(second.toMillis(), TimeUnit.MILLISECONDS)).isFalse();
				return Duration.ofNanos(System.nanoTime() - start);
			});
			assertThat(waited).isGreaterThanOrEqualTo(second);
			assertThat(Actor.resultOf(ahead)).isFalse();
			return waited;
		});
	}

	@Test
	default void refusesConditions() {
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> lock().newCondition())
			.withMessageContaining(name())
			.withMessageContaining("condition");
	}

	@Test
	default void tellsWhoHoldsTheLockWhenItWasNotFreeInTime() {
		otherLock().lock();
		Duration wait = Duration.ofMillis(100);
		assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
			.isThrownBy(() -> one().acquire(request().waitTime(wait)))
			.satisfies((ex) -> {
				assertThat(ex.lockName()).isEqualTo(name());
				assertThat(ex.waited()).isGreaterThanOrEqualTo(wait);
				assertThat(ex.holder()).hasValueSatisfying((holder) -> {
					assertThat(holder.label()).isEqualTo("instance-2/" + Thread.currentThread().getName());
					assertThat(holder.remainingLease()).isBetween(LEASE.minusSeconds(10), LEASE);
				});
			});
		assertThat(events().notAcquired).containsExactly(Outcome.TIMEOUT);
	}

	@Test
	default void tellsTheLocalHolderWhenItWasNotFreeInTime() {
		lock().lock();
		Actor waiter = actor();
		for (Duration wait : List.of(Duration.ZERO, Duration.ofMillis(50))) {
			assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
				.isThrownBy(() -> waiter.call(() -> one().acquire(request().waitTime(wait))))
				.satisfies((ex) -> assertThat(ex.holder()).hasValueSatisfying((holder) -> assertThat(holder.label())
					.isEqualTo("instance-1/" + Thread.currentThread().getName())));
		}
	}

	@Test
	default void givesEveryHoldAGreaterFencingTokenInAllRegistries() {
		long last = 0;
		for (int i = 0; i < 50; i++) {
			NamedLock lock = (i % 3 == 0) ? otherLock() : lock();
			lock.lock();
			assertThat(lock.fencingToken()).isGreaterThan(last);
			last = lock.fencingToken();
			lock.lock();
			assertThat(lock.fencingToken()).as("of a re-entry").isEqualTo(last);
			lock.unlock();
			lock.unlock();
		}
	}

	@Test
	default void tellsListenersOfAcquisitionAndRelease() throws InterruptedException {
		try (LockHandle handle = one().acquire(request())) {
			assertThat(events().acquired).containsExactly(name());
			assertThat(events().released).isEmpty();
		}
		await().untilAsserted(() -> assertThat(events().released).containsExactly(name()));
		assertThat(events().losses).isEmpty();
		assertThat(events().notAcquired).isEmpty();
	}

}
