package io.lockstarter.contract;

import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockUpgradeException;
import io.lockstarter.core.NamedLock;
import io.lockstarter.core.NamedReadWriteLock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The two sides of a lock as a {@link java.util.concurrent.locks.ReadWriteLock}.
 */
interface ReadWriteLockSemantics extends TwoRegistries {

	private NamedReadWriteLock here() {
		return one().readWriteLock(name());
	}

	private NamedReadWriteLock there() {
		return two().readWriteLock(name());
	}

	@Test
	default void readsAndWritesUnderOneName() {
		assertThat(here().name()).isEqualTo(name());
		assertThat(here().readLock().name()).isEqualTo(name());
		assertThat(here().writeLock().name()).isEqualTo(name());
		assertThat(here()).asString().contains(name());
	}

	@Test
	default void letsReadersShareAndExcludesWritersMeanwhile() {
		here().readLock().lock();
		assertThat(actor().call(() -> here().readLock().tryLock())).as("a reader in this instance").isTrue();
		assertThat(there().readLock().tryLock()).as("a reader in another instance").isTrue();
		assertThat(actor().call(() -> here().writeLock().tryLock())).as("a writer in this instance").isFalse();
		assertThat(actor().call(() -> there().writeLock().tryLock())).as("a writer in another instance").isFalse();
		assertThat(actor().call(() -> lock().tryLock())).as("an owner of the plain lock").isFalse();
	}

	@Test
	default void excludesEverybodyWhileOneWrites() {
		here().writeLock().lock();
		for (NamedReadWriteLock lock : new NamedReadWriteLock[] { here(), there() }) {
			Actor other = actor();
			assertThat(other.call(() -> lock.readLock().tryLock())).isFalse();
			assertThat(other.call(() -> lock.writeLock().tryLock())).isFalse();
		}
		here().writeLock().unlock();
		assertThat(there().writeLock().tryLock()).isTrue();
		there().writeLock().unlock();
		assertNothingLeft();
	}

	@Test
	default void entersEitherSideAgain() {
		here().readLock().lock();
		here().readLock().lock();
		assertThat(here().readLock().holdCount()).isEqualTo(2);
		here().readLock().unlock();
		assertThat(there().writeLock().tryLock()).as("while one still reads").isFalse();
		here().readLock().unlock();
		here().writeLock().lock();
		here().writeLock().lock();
		assertThat(here().writeLock().holdCount()).isEqualTo(2);
		here().writeLock().unlock();
		assertThat(there().readLock().tryLock()).as("while one still writes").isFalse();
		here().writeLock().unlock();
		assertNothingLeft();
	}

	@Test
	default void keepsTheReadLockWhenAWriterUnlocks() throws InterruptedException {
		here().writeLock().lock();
		here().readLock().lock();
		here().writeLock().unlock();
		assertThat(here().writeLock().isHeldByCurrentOwner()).isFalse();
		assertThat(here().readLock().isHeldByCurrentOwner()).isTrue();
		lockInTime(there().readLock());
		there().readLock().unlock();
		assertThat(there().writeLock().tryLock()).isFalse();
		here().readLock().unlock();
		assertNothingLeft();
	}

	@Test
	default void refusesTheWriteLockToAReaderAtOnce() {
		here().readLock().lock();
		NamedLock writing = here().writeLock();
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(writing::lock).withMessageContaining(name());
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(writing::lockInterruptibly);
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(writing::tryLock);
		assertThatExceptionOfType(LockUpgradeException.class).isThrownBy(() -> writing.tryLock(20, TimeUnit.SECONDS));
		assertThat(here().readLock().isHeldByCurrentOwner()).isTrue();
		here().readLock().unlock();
		assertNothingLeft();
	}

	@Test
	default void unlocksOnlyTheSideThatIsHeld() {
		here().readLock().lock();
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> here().writeLock().unlock());
		here().readLock().unlock();
		here().writeLock().lock();
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> here().readLock().unlock());
		here().writeLock().unlock();
		assertNothingLeft();
	}

	@Test
	default void withdrawsFromEitherSideOnAnInterrupt() {
		there().writeLock().lock();
		for (NamedLock side : new NamedLock[] { here().readLock(), here().writeLock() }) {
			Actor waiter = actor();
			Future<?> wait = waiter.begin(side::lockInterruptibly);
			awaitWaiting(one(), 1);
			waiter.interrupt();
			assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> Actor.resultOf(wait));
			assertThat(one().waitingCount()).isZero();
		}
		there().writeLock().unlock();
		assertNothingLeft();
	}

	@Test
	default void waitsForEitherSideForSomeTime() throws InterruptedException {
		there().writeLock().lock();
		assertThat(here().readLock().tryLock(10, TimeUnit.MILLISECONDS)).isFalse();
		assertThat(here().writeLock().tryLock(10, TimeUnit.MILLISECONDS)).isFalse();
		Actor waiter = actor();
		Future<?> read = waiter.begin(() -> lockInTime(here().readLock()));
		awaitWaiting(one(), 1);
		there().writeLock().unlock();
		Actor.resultOf(read);
		waiter.run(() -> here().readLock().unlock());
		lockInTime(here().writeLock());
		here().writeLock().unlock();
		assertNothingLeft();
	}

}
