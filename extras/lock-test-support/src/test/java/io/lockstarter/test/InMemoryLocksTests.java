package io.lockstarter.test;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockInterruptedException;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static io.lockstarter.test.LockAssertions.assertThatLocked;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

class InMemoryLocksTests {

	private static final Duration LEASE = Duration.ofMinutes(10);

	private static final LockRequest REPORT = LockRequest.of("report").waitTime(Duration.ZERO);

	@AutoClose
	private final InMemoryLocks locks = InMemoryLocks.create();

	@Test
	void holdsALockForAnotherInstance() throws InterruptedException {
		try (LockHandle held = this.locks.heldByAnother("report")) {
			assertThat(held.isValid()).isTrue();
			assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
				.isThrownBy(() -> this.locks.registry().acquire(REPORT))
				.withMessageContaining("another-instance");
		}
		this.locks.registry().acquire(REPORT).close();
	}

	@Test
	void holdsOneOfThePermitsForAnotherInstance() throws InterruptedException {
		LockRequest permit = REPORT.permits(2);
		try (LockHandle first = this.locks.heldByAnother(permit);
				LockHandle second = this.locks.registry().acquire(permit)) {
			assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
				.isThrownBy(() -> this.locks.heldByAnother(permit));
		}
	}

	@Test
	void holdsALockForTheOwnerThatIsNamed() {
		LockOwner owner = LockOwner.create("other");
		try (LockHandle first = this.locks.heldByAnother(REPORT.owner(owner));
				LockHandle again = this.locks.heldByAnother(REPORT.owner(owner))) {
			assertThat(again.owner()).isEqualTo(owner);
		}
	}

	@Test
	void doesNotWaitForALockThatIsHeld() throws InterruptedException {
		try (LockHandle held = this.locks.registry().acquire(REPORT)) {
			assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
				.isThrownBy(() -> this.locks.heldByAnother("report"));
		}
	}

	@Test
	void endsTheWaitForALockWhenInterrupted() throws InterruptedException {
		try (LockHandle held = this.locks.registry().acquire(REPORT)) {
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(LockInterruptedException.class)
				.isThrownBy(() -> this.locks.heldByAnother(LockRequest.of("report").waitTime(LEASE)));
			assertThat(Thread.interrupted()).isTrue();
		}
	}

	@Test
	void endsAFixedLease() throws InterruptedException {
		LockHandle lock = this.locks.registry().acquire(REPORT.leaseTime(LEASE));
		this.locks.advance(LEASE.minusMinutes(1));
		assertThat(lock.isValid()).isTrue();
		this.locks.advance(Duration.ofMinutes(1));
		assertThat(lock.isValid()).isFalse();
		this.locks.heldByAnother("report").close();
	}

	@Test
	void handsALockWhoseLeaseEndsToTheOneWhoWaits() throws Exception {
		this.locks.heldByAnother(REPORT.leaseTime(LEASE));
		CompletableFuture<LockHandle> waiting = this.locks.registry().acquireAsync(REPORT.waitTime(LEASE));
		await().until(() -> monitor().waitingCount() == 1);
		this.locks.advance(LEASE);
		waiting.get(1, TimeUnit.MINUTES).close();
	}

	@Test
	void renewsOnTheWay() throws InterruptedException {
		try (LockHandle own = this.locks.registry().acquire(REPORT);
				LockHandle other = this.locks.heldByAnother("export");
				LockHandle fixed = this.locks.registry()
					.acquire(LockRequest.of("fixed").leaseTime(LEASE.multipliedBy(9)))) {
			this.locks.advance(LEASE);
			assertThat(own.isValid()).isTrue();
			assertThat(other.isValid()).isTrue();
			assertThat(fixed.remainingLease()).isLessThanOrEqualTo(LEASE.multipliedBy(8));
			assertThatExceptionOfType(LockAcquisitionTimeoutException.class)
				.isThrownBy(() -> this.locks.heldByAnother("report"));
		}
	}

	@Test
	void renewsNothingInAPause() throws InterruptedException {
		LockHandle own = this.locks.registry().acquire(REPORT);
		LockHandle other = this.locks.heldByAnother("export");
		this.locks.pause(LEASE);
		assertThat(own.isValid()).isFalse();
		assertThat(other.isValid()).isFalse();
		assertThat(monitor().heldCount()).isZero();
	}

	@Test
	void renewsAfterAShortPause() throws InterruptedException {
		try (LockHandle lock = this.locks.registry().acquire(REPORT)) {
			this.locks.pause(Duration.ofSeconds(20));
			assertThat(lock.remainingLease()).isGreaterThan(Duration.ofSeconds(20));
		}
	}

	@Test
	void doesNotGoBack() {
		Duration back = Duration.ofMillis(-1);
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.advance(back)).withMessageContaining("-0.001");
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.pause(back));
	}

	@Test
	void sharesNothingWithOthers() throws InterruptedException {
		LockHandle lock = this.locks.registry().acquire(REPORT.leaseTime(LEASE));
		try (InMemoryLocks others = InMemoryLocks.create()) {
			others.heldByAnother("report").close();
			others.pause(LEASE);
		}
		assertThat(lock.isValid()).isTrue();
		lock.close();
	}

	@Test
	void tellsWhichLocksAreTaken() {
		assertThatLocked(() -> this.locks.registry().acquire(REPORT).close()).holdsOnly("report");
		assertThatLocked(() -> this.locks.heldByAnother("report").close()).holdsNothing();
	}

	private LockMonitor monitor() {
		return (LockMonitor) this.locks.registry();
	}

}
