package io.lockstarter.contract;

import java.time.Duration;
import java.util.stream.Stream;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockType;
import io.lockstarter.core.NamedLock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What a lock tells of whoever holds it.
 */
interface HolderSemantics extends TwoRegistries {

	/** A lease that is told apart from the usual one. */
	Duration LONGER_LEASE = LEASE.multipliedBy(2);

	@Test
	default void tellsThatNobodyHoldsAFreeLock() {
		assertFree();
		lock().lock();
		lock().unlock();
		assertFree();
		assertNothingLeft();
	}

	private void assertFree() {
		assertThat(views()).noneMatch(NamedLock::isLocked).allMatch((view) -> view.remainingLeaseOfHolder().isEmpty());
	}

	/** The lock as each instance sees it, of whatever type. */
	private Stream<NamedLock> views() {
		return Stream.of(one(), two())
			.flatMap((registry) -> types().stream().map((type) -> registry.get(request().type(type))));
	}

	@Test
	default void tellsOfAHolderInWhicheverInstance() {
		for (LockType type : types()) {
			NamedLock held = one().get(request().type(type));
			held.lock();
			assertThat(views()).as("held as %s", type)
				.allMatch(NamedLock::isLocked)
				.allSatisfy((view) -> assertThat(view.remainingLeaseOfHolder()).get()
					.satisfies((lease) -> assertThat(lease).isBetween(LEASE.minusSeconds(10), LEASE)));
			assertThat(actor().call(() -> one().get(request()).isHeldByCurrentOwner())).as("by another thread")
				.isFalse();
			held.unlock();
		}
		assertFree();
	}

	@Test
	default void tellsTheLongestLeaseOfReaders() throws InterruptedException {
		LockHandle here = one().acquire(request().type(LockType.READ));
		LockHandle there = two().acquire(request().type(LockType.READ).leaseTime(LONGER_LEASE));
		assertThat(views()).allSatisfy((view) -> assertThat(view.remainingLeaseOfHolder()).get()
			.satisfies((lease) -> assertThat(lease).isBetween(LONGER_LEASE.minusSeconds(10), LONGER_LEASE)));
		there.close();
		assertThat(views()).allMatch(NamedLock::isLocked)
			.allSatisfy((view) -> assertThat(view.remainingLeaseOfHolder()).get()
				.satisfies((lease) -> assertThat(lease).isLessThanOrEqualTo(LEASE)));
		here.close();
		assertFree();
	}

	@Test
	default void tellsAfterAWaitHowLongTheHolderHasHeldTheLockByThen() throws InterruptedException {
		try (LockHandle held = one().acquire(request())) {
			assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
				.isThrownBy(() -> two().acquire(request().waitTime(Duration.ofMillis(400))))
				.satisfies((ex) -> assertThat(ex.holder()).get().satisfies((holder) -> {
					// Both are accurate to the latency of the refusal, which was sent at
					// once.
					assertThat(holder.heldFor()).isGreaterThanOrEqualTo(Duration.ofMillis(200));
					assertThat(holder.remainingLease()).isLessThanOrEqualTo(LEASE.minusMillis(200));
				}));
			assertThat(held.isValid()).isTrue();
		}
	}

	@Test
	default void tellsThatALockIsFreeWhenItsLeaseHasEnded() throws InterruptedException {
		for (LockType type : types()) {
			acquireShortly(one(), request().type(type));
			await("held as " + type).atMost(Actor.PATIENCE).until(() -> !otherLock().isLocked());
			assertThat(otherLock().remainingLeaseOfHolder()).isEmpty();
			assertThat(lock().isLocked()).isFalse();
		}
	}

	@Test
	default void tellsOfTheHolderInspiteOfAnInterruptAndKeepsIt() {
		otherLock().lock();
		assertThat(actor().call(() -> {
			Thread.currentThread().interrupt();
			assertThat(lock().isLocked()).isTrue();
			assertThat(lock().remainingLeaseOfHolder()).isPresent();
			return Thread.currentThread().isInterrupted();
		})).as("flag").isTrue();
		otherLock().unlock();
	}

}
