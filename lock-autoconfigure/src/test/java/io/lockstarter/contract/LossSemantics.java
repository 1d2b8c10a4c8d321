package io.lockstarter.contract;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockMonitor.RenewalState;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.NamedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * How the end of a lock reaches those who still hold it.
 */
interface LossSemantics extends TwoRegistries {

	/** What is told at the release of a lock whose fixed lease was too short. */
	String NEXT_STEP = ".* The work finished, but its leaseTime of " + SHORT_LEASE.toMillis()
			+ "ms was shorter than the [0-9.]+m?s that it took: omit leaseTime, .*";

	@Test
	default void tellsThatAFixedLeaseHasExpired() throws InterruptedException {
		LockRequest request = request().metricName("orders");
		LockHandle handle = acquireShortly(one(), request);
		await().until(() -> events().losses.size() == 1);
		LockLoss loss = events().losses.get(0);
		assertThat(loss.name()).isEqualTo(name());
		assertThat(loss.metricName()).isEqualTo("orders");
		assertThat(loss.owner()).isEqualTo(LockOwner.currentThread());
		assertThat(loss.reason()).isEqualTo(LockLoss.Reason.LEASE_EXPIRED);
		assertThat(loss.fencingToken()).isEqualTo(handle.fencingToken());
		assertThat(loss.lostAt()).isBetween(Instant.now().minus(Actor.PATIENCE), Instant.now());
		assertThat(loss.heldFor()).isPositive().isLessThanOrEqualTo(SHORT_LEASE);
		assertThat(handle.isValid()).isFalse();
		assertThat(handle.remainingLease()).isZero();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close)
			.satisfies((ex) -> assertThat(ex.loss()).isEqualTo(loss))
			.withMessageContaining(name())
			.withMessageMatching(NEXT_STEP);
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(handle::close);
		assertThat(events().losses).hasSize(1);
		assertThat(events().released).isEmpty();
		assertNothingLeft();
	}

	@Test
	default void tellsOneWhoLostTheLockFromOneWhoNeverHeldIt() {
		NamedLock lock = lock();
		lock.lock();
		lock.lock();
		actor().run(() -> one().forceRelease(name()));
		await().until(() -> events().losses.size() == 1);
		assertThat(lock.isHeldByCurrentOwner()).isFalse();
		assertThat(lock.holdCount()).isZero();
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> actor().run(lock::unlock));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock)
			.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain("leaseTime"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(lock::unlock);
	}

	@Test
	default void tellsOfALossUntilWhatWasLockedIsUnlocked() throws InterruptedException {
		NamedLock lock = lock();
		lock.lock();
		assertThat(lock.loss()).isEmpty();
		lock.unlock();
		acquireShortly(one(), request());
		await().until(() -> events().losses.size() == 1);
		assertThat(lock.isHeldByCurrentOwner()).isFalse();
		assertThat(lock.loss()).hasValueSatisfying((loss) -> {
			assertThat(loss.name()).isEqualTo(name());
			assertThat(loss.reason()).isEqualTo(LockLoss.Reason.LEASE_EXPIRED);
		});
		assertThat(actor().call(lock::loss)).as("of a thread that never held it").isEmpty();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock).withMessageMatching(NEXT_STEP);
		assertThat(lock.loss()).isEmpty();
		assertNothingLeft();
	}

	@Test
	default void keepsTheTokenOfAStaleHandle() throws InterruptedException {
		LockHandle stale = acquireShortly(one(), request());
		long token = stale.fencingToken();
		try (LockHandle next = two().acquire(request())) {
			assertThat(next.fencingToken()).isGreaterThan(token);
			assertThat(stale.fencingToken()).isEqualTo(token);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(stale::close)
				.satisfies((ex) -> assertThat(ex.loss().fencingToken()).isEqualTo(token));
			assertThat(next.isValid()).isTrue();
			assertThat(lock().tryLock()).as("still held by the next").isFalse();
		}
		assertThat(stale.fencingToken()).isEqualTo(token);
	}

	@Test
	default void letsAWaiterInAfterTheLocalHolderLostTheLock() throws InterruptedException {
		acquireShortly(one(), request());
		Future<?> next = actor().begin(() -> lock().lock());
		assertThat(next).succeedsWithin(Actor.PATIENCE);
		await().untilAsserted(() -> assertThat(events().losses).hasSize(1));
	}

	@Test
	default void interruptsTheThreadThatLosesItsLockWhenAskedTo() {
		DefaultLockRegistry registry = open(Settings.of("interrupting", WAIT, LEASE, null, true));
		Actor holder = actor();
		Future<?> work = holder.begin(() -> {
			acquireShortly(registry, request());
			new CountDownLatch(1).await();
		});
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> Actor.resultOf(work));
	}

	@Test
	default void doesNotInterruptTheThreadThatLosesItsLockUnlessAskedTo() {
		Actor holder = actor();
		holder.run(() -> acquireShortly(one(), request()));
		Boolean interrupted = holder.call(() -> {
			await().pollInSameThread().until(() -> events().losses.size() == 1);
			return Thread.currentThread().isInterrupted();
		});
		assertThat(interrupted).isFalse();
	}

	@Test
	default void doesNotInterruptAThreadThatReleasedInTime() {
		DefaultLockRegistry registry = open(Settings.of("interrupting", WAIT, LEASE, null, true));
		Actor holder = actor();
		holder.run(() -> registry.acquire(request().leaseTime(LEASE)).close());
		await("nothing more to come").untilAsserted(() -> assertThat(EngineInternals.timers(registry)).isZero());
		assertThat(holder.call(() -> Thread.currentThread().isInterrupted())).isFalse();
	}

	@Test
	default void stopsRenewingWhenTheThreadOfTheOwnerHasEnded() throws InterruptedException {
		Events events = new Events();
		DefaultLockRegistry registry = open(RENEWED_LEASE, events);
		Actor owner = actor();
		owner.run(() -> registry.get(name()).lock());
		owner.close();
		lockInTime(otherLock());
		await().until(() -> events.losses.size() == 1);
		assertThat(events.losses.get(0).reason()).isEqualTo(LockLoss.Reason.OWNER_ENDED);
		assertThat(registry.heldCount()).isZero();
	}

	@Test
	default void stopsRenewingAfterTheLongestHoldTime() throws InterruptedException {
		Events events = new Events();
		Duration longest = RENEWED_LEASE.multipliedBy(3).dividedBy(4);
		DefaultLockRegistry registry = open(Settings.of("limited", WAIT, longest, longest, false), events);
		LockHandle handle = acquireInTime(registry, request());
		await().until(() -> registry.held().stream().anyMatch((held) -> held.renewal() == RenewalState.STOPPED));
		assertThat(handle.isValid()).isTrue();
		await().atMost(Actor.PATIENCE).until(() -> events.losses.size() == 1);
		LockLoss loss = events.losses.get(0);
		assertThat(loss.reason()).isEqualTo(LockLoss.Reason.MAX_HOLD_TIME);
		assertThat(loss.heldFor()).isGreaterThanOrEqualTo(longest);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
		assertNothingLeft();
	}

	@Test
	default void isNotHarmedByAListenerThatThrows() throws InterruptedException {
		Events events = new Events();
		DefaultLockRegistry registry = open(RENEWED_LEASE, new Thrower(), events);
		try (LockHandle handle = acquireInTime(registry, request())) {
			assertThat(registry.tryAcquire(request().owner(LockOwner.create("other")).waitTime(Duration.ZERO)))
				.isEmpty();
			await().until(() -> events.renewals.get() >= 2);
			assertThat(handle.isValid()).isTrue();
		}
		Actor.resultOf(registry.acquireAsync(request())).close();
		LockHandle lost = acquireShortly(registry, request());
		await().until(() -> events.losses.size() == 1);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lost::close);
		assertThat(events.acquired).hasSize(3);
		await().untilAsserted(() -> assertThat(events.released).hasSize(2));
		assertThat(events.notAcquired).contains(LockListener.Outcome.TIMEOUT);
		assertNothingLeft();
	}

	/**
	 * A listener that can do nothing right.
	 */
	final class Thrower implements LockListener {

		@Override
		public void acquired(LockHandle lock, Duration waited) {
			throw new AssertionError("planted");
		}

		@Override
		public void notAcquired(LockRequest request, Outcome outcome, Duration waited) {
			throw new AssertionError("planted");
		}

		@Override
		public void released(LockHandle lock, Duration held) {
			throw new AssertionError("planted");
		}

		@Override
		public void renewed(LockHandle lock) {
			throw new AssertionError("planted");
		}

		@Override
		public void lost(LockLoss loss) {
			throw new AssertionError("planted");
		}

		@Override
		public String toString() {
			throw new AssertionError("planted");
		}

	}

}
