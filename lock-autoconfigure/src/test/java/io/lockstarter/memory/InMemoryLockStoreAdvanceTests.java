package io.lockstarter.memory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Tests of leases whose time passes at once. They are so long that none of them ends by
 * the clocks of the JVM.
 */
class InMemoryLockStoreAdvanceTests {

	private static final Duration LEASE = Duration.ofHours(1);

	private static final LockRequest RENEWED = LockRequest.of("a").waitTime(Duration.ZERO);

	private static final LockRequest FIXED = RENEWED.leaseTime(LEASE);

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final BlockingQueue<LockLoss> losses = new LinkedBlockingQueue<>();

	private final List<AutoCloseable> open = new ArrayList<>();

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable each : this.open) {
			each.close();
		}
	}

	private DefaultLockRegistry instance() {
		return instance(null);
	}

	private DefaultLockRegistry instance(@Nullable Duration maxHoldTime) {
		InMemoryLockBackend backend = new InMemoryLockBackend(this.store);
		DefaultLockRegistry registry = new DefaultLockRegistry(backend,
				new EngineSettings("test", Duration.ofMinutes(10), LEASE, maxHoldTime, false, 64),
				List.of(new LockListener() {

					@Override
					public void lost(LockLoss loss) {
						InMemoryLockStoreAdvanceTests.this.losses.add(loss);
					}

				}));
		this.open.add(registry);
		this.open.add(backend);
		return registry;
	}

	@Test
	void losesAFixedLeaseThatIsOver() throws Exception {
		DefaultLockRegistry registry = instance();
		LockHandle lock = registry.acquire(FIXED);
		this.store.advance(LEASE.plusMinutes(1)).join();
		assertThat(registry.held()).isEmpty();
		assertThat(lock.isValid()).isFalse();
		assertThat(lock.remainingLease()).isZero();
		LockLoss loss = this.losses.poll(1, TimeUnit.MINUTES);
		assertThat(loss.reason()).isEqualTo(LockLoss.Reason.LEASE_EXPIRED);
		assertThat(loss.heldFor()).isBetween(LEASE.minusMinutes(1), LEASE);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close)
			.withMessageContaining("leaseTime of 3600s was shorter than the 3660");
	}

	@Test
	void keepsAFixedLeaseThatIsNotOver() throws Exception {
		DefaultLockRegistry registry = instance();
		LockHandle lock = registry.acquire(FIXED);
		this.store.advance(LEASE.dividedBy(2)).join();
		assertThat(lock.isValid()).isTrue();
		assertThat(lock.remainingLease()).isLessThanOrEqualTo(LEASE.dividedBy(2));
		assertThatExceptionOfType(LockAcquisitionTimeoutException.class).isThrownBy(() -> instance().acquire(RENEWED));
		lock.close();
	}

	@Test
	void letsAnotherClientTakeWhatIsOver() throws Exception {
		LockHandle lock = instance().acquire(FIXED);
		this.store.advance(LEASE).join();
		try (LockHandle next = instance().acquire(RENEWED)) {
			assertThat(next.fencingToken()).isGreaterThan(lock.fencingToken());
		}
	}

	@ParameterizedTest
	@EnumSource
	void letsThoseWhoWaitTakeWhatIsOver(LockType type) throws Exception {
		DefaultLockRegistry other = instance();
		DefaultLockRegistry registry = instance();
		registry.acquire(FIXED);
		LockRequest request = LockRequest.of("a").type(type);
		CompletableFuture<LockHandle> there = other.acquireAsync(request);
		CompletableFuture<LockHandle> here = registry.acquireAsync(request);
		await().until(() -> other.waitingCount() + registry.waitingCount() == 2);
		this.store.advance(LEASE).join();
		await().until(() -> here.isDone() || there.isDone());
		boolean isHereFirst = here.isDone();
		(isHereFirst ? here : there).join().close();
		(isHereFirst ? there : here).get(1, TimeUnit.MINUTES).close();
	}

	@Test
	void renewsWhatIsNotOver() throws Exception {
		DefaultLockRegistry registry = instance();
		LockHandle lock = registry.acquire(RENEWED);
		for (int i = 0; i < 5; i++) {
			this.store.advance(LEASE.dividedBy(2)).join();
			assertThat(lock.isValid()).isTrue();
			assertThat(lock.remainingLease()).isGreaterThan(LEASE.dividedBy(2));
		}
		lock.close();
		assertThat(this.losses).isEmpty();
	}

	@Test
	void losesWhatWasNotRenewedMeanwhile() throws Exception {
		LockHandle lock = instance().acquire(RENEWED);
		this.store.advance(LEASE).join();
		assertThat(lock.isValid()).isFalse();
		assertThat(this.losses.poll(1, TimeUnit.MINUTES).reason()).isEqualTo(LockLoss.Reason.LEASE_EXPIRED);
	}

	@Test
	void countsTowardsTheLongestTimeToHold() throws Exception {
		LockHandle lock = instance(LEASE).acquire(RENEWED);
		this.store.advance(LEASE.dividedBy(2)).join();
		this.store.advance(LEASE.dividedBy(2)).join();
		assertThat(lock.isValid()).isTrue();
		this.store.advance(LEASE.dividedBy(2)).join();
		assertThat(this.losses.poll(1, TimeUnit.MINUTES).reason()).isEqualTo(LockLoss.Reason.MAX_HOLD_TIME);
	}

	@Test
	void extendsFromTheTimeThatHasPassed() throws Exception {
		LockHandle lock = instance().acquire(FIXED);
		this.store.advance(LEASE.dividedBy(2)).join();
		lock.extend(LEASE);
		this.store.advance(LEASE.dividedBy(2).plusMinutes(1)).join();
		assertThat(lock.isValid()).isTrue();
		lock.close();
	}

	@Test
	void doesNotGoBack() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.store.advance(Duration.ofNanos(-1)));
		assertThatExceptionOfType(ArithmeticException.class)
			.isThrownBy(() -> this.store.advance(Duration.ofDays(365_000)));
	}

}
