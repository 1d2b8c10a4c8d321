package io.lockstarter.adapter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.lockstarter.contract.Actor;
import io.lockstarter.contract.Settings;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockMonitor.RenewalState;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testing.Liveness;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.integration.support.locks.DistributedLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * What a lock registry of Spring Integration does, and what its own for Redis should not.
 */
abstract class IntegrationLockContract {

	private static final Duration LEASE = Duration.ofSeconds(30);

	/** To wait for its end; nothing may depend on what is done before. */
	private static final Duration SHORT = Duration.ofMillis(500);

	/** Short enough to wait until it is renewed, long enough for a slow machine. */
	private static final Duration RENEWED = Duration.ofSeconds(2);

	private final List<Actor> actors = new ArrayList<>();

	private final String key = "key-" + System.nanoTime();

	private Instances instances;

	private DefaultLockRegistry registry;

	private IntegrationLockRegistry one;

	private IntegrationLockRegistry two;

	abstract Instances newInstances();

	@BeforeEach
	void open() {
		this.instances = newInstances();
		this.registry = this.instances.open(LEASE);
		this.one = adapt(this.registry);
		this.two = adapt(this.instances.open(LEASE));
	}

	@AfterEach
	void close() throws Exception {
		this.actors.forEach(Actor::dismiss);
		this.instances.close();
	}

	private static IntegrationLockRegistry adapt(DefaultLockRegistry registry) {
		return new IntegrationLockRegistry(registry, "orders", LEASE);
	}

	private Actor actor() {
		Actor actor = new Actor();
		this.actors.add(actor);
		return actor;
	}

	private DistributedLock lock() {
		return this.one.obtain(this.key);
	}

	private DistributedLock otherLock() {
		return this.two.obtain(this.key);
	}

	@Test
	void excludesThreadsAndInstances() {
		lock().lock();
		assertThat(otherLock().tryLock()).isFalse();
		assertThat(actor().call(() -> lock().tryLock())).isFalse();
		lock().unlock();
		assertThat(otherLock().tryLock()).isTrue();
		otherLock().unlock();
	}

	@Test
	void isReentrantOverSeveralObtainedLocks() throws InterruptedException {
		lock().lock();
		lock().lockInterruptibly();
		assertThat(lock().tryLock()).isTrue();
		assertThat(lock().tryLock(1, TimeUnit.SECONDS)).isTrue();
		for (int i = 0; i < 4; i++) {
			assertThat(otherLock().tryLock()).isFalse();
			lock().unlock();
		}
		assertThat(otherLock().tryLock()).isTrue();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> lock().unlock());
	}

	@Test
	void keepsKeysAndRegistriesApart() {
		lock().lock();
		assertThat(this.two.obtain(this.key + "2").tryLock()).isTrue();
		assertThat(new IntegrationLockRegistry(this.registry, "invoices", LEASE).obtain(this.key).tryLock()).isTrue();
		assertThat(this.registry.held()).extracting("metricName").contains("orders", "invoices");
	}

	@Test
	void obtainsEqualLocksForOneKeyOfOneRegistry() {
		assertThat(lock()).isEqualTo(lock()).hasSameHashCodeAs(lock());
		assertThat(adapt(this.registry).obtain(this.key)).as("by another adapter").isEqualTo(lock());
		assertThat(this.one.obtain(this.key + "2")).as("another key").isNotEqualTo(lock());
		assertThat(otherLock()).as("of another registry").isNotEqualTo(lock());
		assertThat(new IntegrationLockRegistry(this.registry, "invoices", LEASE).obtain(this.key))
			.as("another registry key")
			.isNotEqualTo(lock());
		assertThat(lock()).isNotEqualTo(this.key);
	}

	@Test
	void refusesKeysThatAreNoNames() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.one.obtain(42))
			.withMessageContaining("non-empty string but is '42'");
		assertThatIllegalArgumentException().isThrownBy(() -> this.one.obtain(""));
	}

	@Test
	void renewsALockWithoutATimeToLive() {
		DefaultLockRegistry shortly = this.instances.open(RENEWED);
		adapt(shortly).obtain(this.key).lock();
		await().pollDelay(RENEWED.multipliedBy(11).dividedBy(10)).until(() -> true);
		assertThat(otherLock().tryLock()).isFalse();
		assertThat(shortly.held()).singleElement().extracting("renewal").isEqualTo(RenewalState.RENEWING);
	}

	@Test
	void endsALockAfterItsTimeToLive() throws InterruptedException {
		lock().lock(LEASE);
		assertThat(this.registry.held()).singleElement().extracting("renewal").isEqualTo(RenewalState.FIXED_LEASE);
		lock().unlock();
		lock().lock(SHORT);
		assertThat(otherLock().tryLock(Actor.PATIENCE, LEASE)).isTrue();
		otherLock().unlock();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock().unlock());
	}

	@Test
	void renewsATimeToLiveWhenAskedTo() {
		lock().lock(LEASE.dividedBy(2));
		this.one.renewLock(this.key);
		assertThat(this.registry.get("orders:" + this.key).remainingLease()).isGreaterThan(LEASE.minusSeconds(5));
		this.one.renewLock(this.key, LEASE.multipliedBy(2));
		assertThat(this.registry.get("orders:" + this.key).remainingLease()).isGreaterThan(LEASE);
		lock().unlock();
	}

	@Test
	void renewsOnlyForTheThreadThatHoldsTheLock() throws InterruptedException {
		assertThatExceptionOfType(LockNotHeldException.class).isThrownBy(() -> this.one.renewLock(this.key));
		lock().lock(SHORT);
		assertThatExceptionOfType(LockNotHeldException.class)
			.isThrownBy(() -> actor().run(() -> this.one.renewLock(this.key)));
		assertThat(otherLock().tryLock(Actor.PATIENCE, LEASE)).isTrue();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.one.renewLock(this.key));
	}

	@Test
	void doesNotTakeALockAnewBeforeItsLossWasNoticed() throws InterruptedException {
		lock().lock(SHORT);
		assertThat(otherLock().tryLock(Actor.PATIENCE, LEASE)).isTrue();
		otherLock().unlock();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock().tryLock());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock().lock());
		assertThat(actor().call(() -> lock().tryLock(Duration.ZERO, SHORT))).as("another thread").isTrue();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lock().unlock());
		assertThat(lock().tryLock(Actor.PATIENCE, LEASE)).isTrue();
		lock().unlock();
	}

	@Test
	void runsTasksUnderTheLock() throws Exception {
		assertThat(this.one.<Boolean, RuntimeException>executeLocked(this.key, () -> otherLock().tryLock())).isFalse();
		otherLock().lock();
		assertThatExceptionOfType(TimeoutException.class)
			.isThrownBy(() -> this.one.executeLocked(this.key, Duration.ofMillis(50), () -> {
			}));
		otherLock().unlock();
	}

	@Test
	void keepsNothingOfLocksThatAreNotHeld() {
		for (int i = 0; i < 1000; i++) {
			this.one.obtain(this.key + i);
		}
		this.one.expireUnusedOlderThan(0);
		assertThat(this.registry.heldCount()).isZero();
		assertThat(this.registry.held()).isEmpty();
	}

	@Test
	void hasNoConditions() {
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> lock().newCondition());
	}

	@Test
	@Tag("stress")
	void waitsOnceForThreadsOfItsOwnAndForOtherInstances() throws Exception {
		Actor other = actor();
		other.run(() -> otherLock().lock());
		Liveness.within("waiting behind another who waits", Duration.ofSeconds(3), () -> {
			Future<Boolean> ahead = actor().ask(() -> lock().tryLock(1900, TimeUnit.MILLISECONDS));
			await().until(() -> this.registry.waitingCount() == 1);
			long start = System.nanoTime();
			assertThat(lock().tryLock(2, TimeUnit.SECONDS)).isFalse();
			Duration waited = Duration.ofNanos(System.nanoTime() - start);
			assertThat(waited).isGreaterThanOrEqualTo(Duration.ofSeconds(2));
			assertThat(Actor.resultOf(ahead)).isFalse();
			return waited;
		});
	}

	@Test
	void tellsOfAnInterruptAsSuch() {
		otherLock().lock();
		Actor waiting = actor();
		Future<?> wait = waiting.begin(() -> lock().tryLock(20, TimeUnit.SECONDS));
		await().until(() -> this.registry.waitingCount() == 1);
		waiting.interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> Actor.resultOf(wait));
		otherLock().unlock();
		assertThat(this.registry.waitingCount()).isZero();
		// An answer that was on its way may take the lock for a moment.
		await("left free").pollInSameThread().until(() -> otherLock().tryLock());
	}

	@Test
	void keepsTheInterruptOfAWaitThatCannotBeInterrupted() {
		otherLock().lock();
		Actor waiting = actor();
		Future<Boolean> wait = waiting.ask(() -> {
			lock().lock();
			lock().unlock();
			return Thread.currentThread().isInterrupted();
		});
		await().until(() -> this.registry.waitingCount() == 1);
		waiting.interrupt();
		otherLock().unlock();
		assertThat(Actor.resultOf(wait)).isTrue();
	}

	@Test
	void leavesNoRenewalsBehindAfterManyReentries() {
		DefaultLockRegistry shortly = this.instances.open(RENEWED);
		DistributedLock lock = adapt(shortly).obtain(this.key);
		for (int i = 0; i < 50; i++) {
			lock.lock();
			lock.lock();
			lock.unlock();
			lock.unlock();
		}
		assertThat(shortly.heldCount()).isZero();
		assertNothingIsRenewed();
	}

	/** Nothing goes on in the backend while nothing is held. */
	void assertNothingIsRenewed() {
	}

	@Test
	void doesNotCountALockThatWasLostAsHeld() {
		DefaultLockRegistry limited = this.instances.open(Settings.of("limited", LEASE, SHORT, SHORT, false));
		DistributedLock lock = adapt(limited).obtain(this.key);
		lock.lock();
		await().atMost(Actor.PATIENCE).until(() -> limited.heldCount() == 0);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::tryLock);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		assertThat(lock.tryLock()).isTrue();
	}

}
