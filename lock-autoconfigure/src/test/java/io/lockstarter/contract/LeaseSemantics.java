package io.lockstarter.contract;

import java.time.Duration;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.NamedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * For how long a lock is held.
 */
interface LeaseSemantics extends TwoRegistries {

	@Test
	default void keepsARenewedLockBeyondThreeLeases() throws InterruptedException {
		Events events = new Events();
		DefaultLockRegistry registry = open(SHORT_LEASE, events);
		try (LockHandle handle = registry.acquire(request())) {
			stayHeld(handle, SHORT_LEASE.multipliedBy(3).plusMillis(200));
			assertThat(handle.remainingLease()).isBetween(SHORT_LEASE.dividedBy(2), SHORT_LEASE);
		}
		// Every third of the lease, a little early where that joins a batch.
		assertThat(events.renewals.get()).isBetween(5, 12);
		assertThat(events.losses).isEmpty();
		assertNothingLeft();
	}

	private void stayHeld(LockHandle handle, Duration time) {
		await().pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(50))
			.during(time)
			.atMost(time.plus(Actor.PATIENCE))
			.failFast("lost", () -> !handle.isValid())
			.until(() -> !otherLock().tryLock());
	}

	@Test
	default void keepsReEnteredLocksRenewed() throws InterruptedException {
		DefaultLockRegistry registry = open(SHORT_LEASE);
		try (LockHandle outer = registry.acquire(request())) {
			registry.acquire(request()).close();
			stayHeld(outer, SHORT_LEASE.multipliedBy(2));
		}
		assertNothingLeft();
	}

	@Test
	default void renewsNothingOnceReleased() throws InterruptedException {
		DefaultLockRegistry registry = open(SHORT_LEASE);
		for (int i = 0; i < 20; i++) {
			LockHandle outer = registry.acquire(request());
			registry.acquire(request()).close();
			outer.close();
		}
		await().untilAsserted(() -> assertThat(EngineInternals.timers(registry)).isZero());
		assertThat(registry.heldCount()).isZero();
	}

	@Test
	default void doesNotRenewAFixedLease() throws InterruptedException {
		LockHandle handle = one().acquire(request().leaseTime(SHORT_LEASE));
		long start = System.nanoTime();
		assertThat(handle.remainingLease()).isBetween(Duration.ofMillis(1), SHORT_LEASE);
		lockInTime(otherLock());
		Duration held = Duration.ofNanos(System.nanoTime() - start);
		assertThat(held).isBetween(SHORT_LEASE.minusMillis(100), SHORT_LEASE.plus(SLACK));
		assertThat(handle.isValid()).isFalse();
		assertThat(events().renewals).hasValue(0);
	}

	@Test
	default void renewsALockTakenAfterAFixedLeaseHadExpiredOnTheSameObject() {
		Events events = new Events();
		DefaultLockRegistry registry = open(SHORT_LEASE, events);
		NamedLock fixed = registry.get(request().leaseTime(SHORT_LEASE));
		NamedLock renewed = registry.get(request());
		fixed.lock();
		await().until(() -> events.losses.size() == 1);
		renewed.lock();
		await().pollInterval(Duration.ofMillis(50))
			.during(SHORT_LEASE.multipliedBy(3))
			.atMost(Actor.PATIENCE)
			.until(() -> !otherLock().tryLock());
		assertThat(renewed.isHeld()).isTrue();
		renewed.unlock();
		assertThat(events.losses).hasSize(1);
		assertNothingLeft();
	}

	@Test
	default void keepsALockThatIsTakenAgainByItsOwnerAfterItWasLost() {
		NamedLock fixed = one().get(request().leaseTime(SHORT_LEASE));
		fixed.lock();
		long lost = fixed.fencingToken();
		await().until(() -> events().losses.size() == 1);
		lock().lock();
		assertThat(lock().holdCount()).isOne();
		assertThat(lock().fencingToken()).isGreaterThan(lost);
		lock().unlock();
		assertThatExceptionOfType(LockLostException.class).as("for the first locking")
			.isThrownBy(() -> lock().unlock());
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> lock().unlock());
		assertNothingLeft();
	}

	@Test
	default void extendsTheLeaseOfALockThatIsHeld() {
		NamedLock lock = one().get(request().leaseTime(SHORT_LEASE));
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> lock.extend(LEASE));
		lock.lock();
		lock.extend(LEASE);
		assertThat(lock.remainingLease()).isGreaterThan(SHORT_LEASE);
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> actor().run(() -> lock.extend(LEASE)));
		lock.unlock();
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> lock.extend(LEASE));
		assertNothingLeft();
	}

	@Test
	default void extendsALease() throws InterruptedException {
		try (LockHandle handle = one().acquire(request().leaseTime(SHORT_LEASE))) {
			handle.extend(Duration.ofSeconds(20));
			assertThat(handle.remainingLease()).isBetween(Duration.ofSeconds(15), Duration.ofSeconds(20));
			stayHeld(handle, SHORT_LEASE.multipliedBy(2));
		}
		assertThat(events().losses).isEmpty();
		assertNothingLeft();
	}

	@Test
	default void neverShortensALeaseByExtendingIt() throws InterruptedException {
		try (LockHandle handle = one().acquire(request())) {
			handle.extend(SHORT_LEASE);
			assertThat(handle.remainingLease()).isGreaterThan(LEASE.minusSeconds(10));
		}
	}

	@Test
	default void ensuresThatALeaseLastsLongEnough() throws InterruptedException {
		try (LockHandle handle = one().acquire(request())) {
			Duration before = handle.remainingLease();
			handle.ensure(Duration.ofSeconds(5));
			assertThat(handle.remainingLease()).as("already long enough").isLessThanOrEqualTo(before);
			handle.ensure(Duration.ofSeconds(60));
			assertThat(handle.remainingLease()).isBetween(Duration.ofSeconds(50), Duration.ofSeconds(60));
		}
	}

	@Test
	default void refusesToExtendWhatWasReleasedOrLost() throws InterruptedException {
		LockHandle released = one().acquire(request());
		released.close();
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> released.extend(LEASE));
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> released.ensure(LEASE));
		LockHandle lost = one().acquire(request().leaseTime(SHORT_LEASE));
		await().until(() -> !lost.isValid());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lost.extend(LEASE));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lost.ensure(LEASE));
	}

	@Test
	default void refusesALeaseTooShortToWorkWith() throws InterruptedException {
		Duration tooShort = Duration.ofMillis(5);
		LockRequest request = request().leaseTime(tooShort);
		assertThatIllegalArgumentException().isThrownBy(() -> one().acquire(request)).withMessageContaining(name());
		assertThatIllegalArgumentException().isThrownBy(() -> one().get(request).lock()).withMessageContaining(name());
		try (LockHandle handle = one().acquire(request())) {
			assertThatIllegalArgumentException().isThrownBy(() -> handle.extend(tooShort))
				.withMessageContaining(name());
		}
		assertNothingLeft();
	}

	@Test
	default void servesWaitersWithLeasesOfTheirOwn() throws InterruptedException {
		otherLock().lock();
		var fixed = one().acquireAsync(request().leaseTime(Duration.ofSeconds(60)));
		awaitWaiting(one(), 1);
		var renewed = one().acquireAsync(request().owner(LockOwner.create("renewed")));
		awaitWaiting(one(), 2);
		otherLock().unlock();
		try (LockHandle handle = Actor.resultOf(fixed)) {
			assertThat(handle.remainingLease()).isGreaterThan(Duration.ofSeconds(40));
		}
		try (LockHandle handle = Actor.resultOf(renewed)) {
			assertThat(handle.remainingLease()).isLessThanOrEqualTo(LEASE);
		}
		assertNothingLeft();
	}

	@Test
	default void givesAGrantToTheNextWaiterUnderItsOwnTermsWhenTheFirstHasGone() {
		otherLock().lock();
		var fixed = one().acquireAsync(request().leaseTime(Duration.ofSeconds(60)));
		awaitWaiting(one(), 1);
		var renewed = one().acquireAsync(request());
		awaitWaiting(one(), 2);
		fixed.cancel(false);
		otherLock().unlock();
		try (LockHandle handle = Actor.resultOf(renewed)) {
			assertThat(handle.remainingLease()).isLessThanOrEqualTo(LEASE);
		}
		assertNothingLeft();
	}

}
