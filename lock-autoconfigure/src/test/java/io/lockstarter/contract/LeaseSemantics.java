package io.lockstarter.contract;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import io.lockstarter.core.LockException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.NamedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * For how long a lock is held.
 */
interface LeaseSemantics extends TwoRegistries {

	/** All at once, as it takes longer than a lease. */
	@Test
	default void keepsWhatIsRenewedBeyondItsLease() throws InterruptedException {
		Events events = new Events();
		DefaultLockRegistry registry = open(RENEWED_LEASE, events);
		// Which may take long at first.
		registry.acquire(named("expired").leaseTime(LEASE)).close();
		acquireShortly(registry, named("expired"));
		await().until(() -> events.losses.size() == 1);
		long start = System.nanoTime();
		Map<String, LockHandle> held = new LinkedHashMap<>();
		held.put("plain", acquireInTime(registry, named("plain")));
		held.put("expired", acquireInTime(registry, named("expired")));
		held.put("re-entered", acquireInTime(registry, named("re-entered")));
		acquireInTime(registry, named("re-entered")).close();
		held.put("written", acquireInTime(registry, named("written").type(LockType.WRITE)));
		acquireInTime(registry, named("written").type(LockType.READ)).close();
		LockHandle written = acquireInTime(registry, named("read").type(LockType.WRITE));
		held.put("read", acquireInTime(registry, named("read").type(LockType.READ)));
		written.close();
		LockOwner task = LockOwner.create("task");
		Actor taker = actor();
		held.put("task", taker.call(() -> acquireInTime(registry, named("task").owner(task))));
		taker.close();
		await().failFast("lost", () -> !held.values().stream().allMatch(LockHandle::isValid))
			.until(() -> System.nanoTime() - start > RENEWED_LEASE.toNanos() * 11 / 10);
		assertThat(held).allSatisfy((name, handle) -> {
			assertThat(handle.isValid()).isTrue();
			assertThat(handle.remainingLease()).isLessThanOrEqualTo(RENEWED_LEASE);
			assertThat(two().get(named(name)).tryLock()).isFalse();
		});
		// Every third of the lease, a little early where that joins a batch.
		assertThat(events.renewals.get()).isBetween(held.size(), 6 * held.size());
		held.values().forEach(LockHandle::close);
		assertThat(events.losses).hasSize(1);
		assertNothingLeft();
	}

	private LockRequest named(String suffix) {
		return LockRequest.of(name() + suffix);
	}

	@Test
	default void renewsNothingOnceReleased() throws InterruptedException {
		DefaultLockRegistry registry = open(RENEWED_LEASE);
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
		long start = System.nanoTime();
		LockHandle handle = acquireShortly(one(), request());
		assertThat(handle.remainingLease()).isLessThanOrEqualTo(SHORT_LEASE);
		lockInTime(otherLock());
		Duration held = Duration.ofNanos(System.nanoTime() - start);
		assertThat(held).isGreaterThanOrEqualTo(SHORT_LEASE.minusMillis(100));
		assertThat(handle.isValid()).isFalse();
		assertThat(events().renewals).hasValue(0);
	}

	@Test
	default void keepsALockThatIsTakenAgainByItsOwnerAfterItWasLost() throws InterruptedException {
		long lost = acquireShortly(one(), request()).fencingToken();
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
		Duration lease = Duration.ofSeconds(20);
		NamedLock lock = one().get(request().leaseTime(lease));
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> lock.extend(LEASE));
		lock.lock();
		lock.extend(LEASE);
		assertThat(lock.remainingLease()).isGreaterThan(lease);
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> actor().run(() -> lock.extend(LEASE)));
		lock.unlock();
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> lock.extend(LEASE));
		assertNothingLeft();
	}

	@Test
	default void extendsALease() throws InterruptedException {
		try (LockHandle handle = one().acquire(request().leaseTime(Duration.ofSeconds(20)))) {
			handle.extend(Duration.ofSeconds(90));
			assertThat(handle.remainingLease()).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(90));
			assertThat(two().inspect(name()).join().holders()).singleElement()
				.satisfies((seen) -> assertThat(seen.holder().remainingLease()).isBetween(Duration.ofSeconds(60),
						Duration.ofSeconds(90)));
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
			handle.ensureLease(Duration.ofSeconds(5));
			assertThat(handle.remainingLease()).as("already long enough").isLessThanOrEqualTo(before);
			Duration needed = Duration.ofSeconds(60);
			long called = System.nanoTime();
			handle.ensureLease(needed);
			Duration remaining = handle.remainingLease();
			assertThat(remaining.plusNanos(System.nanoTime() - called)).as("when it returned")
				.isGreaterThanOrEqualTo(needed);
			handle.ensureLease(needed);
			assertThat(handle.remainingLease()).as("already long enough").isLessThanOrEqualTo(remaining);
		}
	}

	@Test
	default void refusesToExtendWhatWasReleasedOrLost() throws InterruptedException {
		LockHandle released = one().acquire(request());
		released.close();
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> released.extend(LEASE));
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> released.ensureLease(LEASE));
		LockHandle lost = acquireShortly(one(), request());
		await().until(() -> events().losses.size() == 1);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lost.extend(LEASE));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lost.ensureLease(LEASE));
	}

	@Test
	default void refusesALeaseTooShortToWorkWith() throws InterruptedException {
		Duration tooShort = Duration.ofMillis(99);
		LockRequest request = request().leaseTime(tooShort);
		String limits = " of lock '" + name() + "' must be at least 100ms and at most 365d but is 99ms";
		assertThatIllegalArgumentException().isThrownBy(() -> one().acquire(request)).withMessageEndingWith(limits);
		assertThatIllegalArgumentException().isThrownBy(() -> one().get(request).lock()).withMessageEndingWith(limits);
		try (LockHandle handle = one().acquire(request())) {
			assertThatIllegalArgumentException().isThrownBy(() -> handle.extend(tooShort))
				.withMessageEndingWith(limits);
		}
		LockRequest shortest = LockRequest.of(name() + "-shortest").leaseTime(Duration.ofMillis(100));
		Throwable outcome = catchThrowable(() -> one().acquire(shortest).close());
		// A busy machine may need longer than that, but the request is not refused.
		assertThat(outcome).satisfiesAnyOf((none) -> assertThat(none).isNull(),
				(late) -> assertThat(late).isInstanceOf(LockException.class));
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
