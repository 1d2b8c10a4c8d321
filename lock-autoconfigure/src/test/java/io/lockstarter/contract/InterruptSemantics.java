package io.lockstarter.contract;

import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockListener.Outcome;
import io.lockstarter.core.NamedLock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What an interrupt does to one who wants a lock.
 */
interface InterruptSemantics extends TwoRegistries {

	@Test
	default void takesNothingWhenInterruptedBefore() {
		for (Actor.Step attempt : interruptibly(lock())) {
			assertThat(actor().call(() -> {
				Thread.currentThread().interrupt();
				assertThatExceptionOfType(InterruptedException.class).isThrownBy(attempt::run);
				return Thread.currentThread().isInterrupted();
			})).as("flag").isFalse();
		}
		assertThat(events().acquired).isEmpty();
		assertThat(events().notAcquired).isNotEmpty().containsOnly(Outcome.CANCELLED);
		assertNothingLeft();
	}

	@Test
	default void withdrawsWhenInterruptedBehindALocalHolder() {
		lock().lock();
		interruptEachAttempt();
		assertThat(lock().isHeldByCurrentOwner()).isTrue();
		lock().unlock();
		assertNothingLeft();
	}

	@Test
	default void withdrawsWhenInterruptedBehindARemoteHolder() {
		otherLock().lock();
		interruptEachAttempt();
		otherLock().unlock();
		assertNothingLeft();
	}

	private void interruptEachAttempt() {
		for (Actor.Step attempt : interruptibly(lock())) {
			Actor actor = actor();
			Future<Boolean> flag = actor.ask(() -> {
				assertThatExceptionOfType(InterruptedException.class).isThrownBy(attempt::run);
				return Thread.currentThread().isInterrupted();
			});
			awaitWaiting(one(), 1);
			actor.interrupt();
			assertThat(Actor.resultOf(flag)).as("flag").isFalse();
			assertThat(one().waitingCount()).isZero();
		}
	}

	private List<Actor.Step> interruptibly(NamedLock lock) {
		return List.of(lock::lockInterruptibly, () -> lock.tryLock(20, TimeUnit.SECONDS),
				() -> one().acquire(request()), () -> one().tryAcquire(request()));
	}

	@Test
	default void takesNothingWhenInterruptedBeforeATryWithoutTime() {
		assertThat(actor().call(() -> {
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> lock().tryLock(0, TimeUnit.SECONDS));
			return Thread.currentThread().isInterrupted();
		})).as("flag").isFalse();
		assertNothingLeft();
	}

	@Test
	default void tryLockWithoutTimeTakesAFreeLockAndKeepsTheInterrupt() {
		assertThat(actor().call(() -> {
			Thread.currentThread().interrupt();
			assertThat(lock().tryLock()).isTrue();
			lock().unlock();
			return Thread.currentThread().isInterrupted();
		})).as("flag").isTrue();
	}

	@Test
	default void lockWaitsOnAndKeepsTheInterruptWhenInterruptedBefore() {
		assertThat(actor().call(() -> {
			Thread.currentThread().interrupt();
			lock().lock();
			lock().unlock();
			return Thread.currentThread().isInterrupted();
		})).as("flag").isTrue();
	}

	@Test
	default void lockWaitsOnAndKeepsTheInterruptWhenInterruptedWhileWaiting() {
		for (NamedLock holding : List.of(lock(), otherLock())) {
			holding.lock();
			Actor waiter = actor();
			Future<Boolean> flag = waiter.ask(() -> {
				lock().lock();
				lock().unlock();
				return Thread.currentThread().isInterrupted();
			});
			awaitWaiting(one(), 1);
			waiter.interrupt();
			// The wait has noticed the interrupt once it has taken the flag off.
			await().until(() -> !waiter.thread().isInterrupted());
			assertThat(flag).isNotDone();
			assertThat(one().waitingCount()).isOne();
			holding.unlock();
			assertThat(Actor.resultOf(flag)).as("flag").isTrue();
		}
		assertNothingLeft();
	}

	@Test
	default void unlocksInspiteOfAnInterruptAndKeepsIt() {
		lock().lock();
		Thread.currentThread().interrupt();
		try {
			lock().unlock();
		}
		finally {
			assertThat(Thread.interrupted()).as("flag").isTrue();
		}
		assertNothingLeft();
	}

	@Test
	default void letsTheNextInWhenTheFirstWaiterIsInterrupted() {
		otherLock().lock();
		Actor first = actor();
		Future<?> interrupted = first.begin(() -> lock().lockInterruptibly());
		awaitWaiting(one(), 1);
		Future<?> second = actor().begin(() -> lock().lockInterruptibly());
		awaitWaiting(one(), 2);
		first.interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> Actor.resultOf(interrupted));
		otherLock().unlock();
		assertThat(second).succeedsWithin(Actor.PATIENCE);
	}

}
