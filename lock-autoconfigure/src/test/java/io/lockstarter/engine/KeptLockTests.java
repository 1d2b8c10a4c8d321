package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for locks that are kept for some time after the work under them is done.
 */
class KeptLockTests {

	private static final Duration LEASE = Duration.ofSeconds(2);

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final DefaultLockRegistry registry = registry("one");

	private final DefaultLockRegistry other = registry("other");

	private final LockRequest request = LockRequest.of("kept").owner(LockOwner.create("task"));

	private DefaultLockRegistry registry(String instance) {
		return new DefaultLockRegistry(new InMemoryLockBackend(this.store),
				new EngineSettings(instance, Duration.ZERO, LEASE, null, false, 64), List.of());
	}

	@AfterEach
	void close() {
		this.registry.close();
		this.other.close();
	}

	@Test
	void keepsLockForTheTimeAndNoLonger() throws Exception {
		long start = System.nanoTime();
		LockHandle lock = this.registry.acquire(this.request);
		var released = lock.releaseAfter(Duration.ofMillis(300)).toCompletableFuture();
		assertThat(this.other.tryAcquire(LockRequest.of("kept"))).isEmpty();
		LockRequest patient = LockRequest.of("kept").waitTime(Duration.ofSeconds(10));
		try (LockHandle next = this.other.acquire(patient)) {
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(300));
		}
		assertThat(released).succeedsWithin(Duration.ofSeconds(10));
	}

	@Test
	void letsLeaseLastForTheTime() throws Exception {
		LockHandle lock = this.registry.acquire(this.request);
		lock.releaseAfter(LEASE.multipliedBy(3));
		await().until(() -> this.registry.held().get(0).remainingLease().compareTo(LEASE.multipliedBy(2)) > 0);
	}

	/** The longest time that work may hold a lock does not shorten what was asked for. */
	@Test
	void keepsLockBeyondLongestHoldTime() throws Exception {
		List<LockLoss> losses = new CopyOnWriteArrayList<>();
		Duration lease = Duration.ofSeconds(1);
		Duration keep = lease.multipliedBy(2);
		try (DefaultLockRegistry bounded = bounded(lease, losses)) {
			long start = System.nanoTime();
			LockHandle lock = bounded.acquire(this.request);
			var released = lock.releaseAfter(keep).toCompletableFuture();
			LockRequest patient = LockRequest.of("kept").waitTime(Duration.ofSeconds(10));
			try (LockHandle next = this.other.acquire(patient)) {
				assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(keep);
			}
			assertThat(released).succeedsWithin(Duration.ofSeconds(10));
		}
		assertThat(losses).isEmpty();
	}

	/** Shows that the longest time is in force above. */
	@Test
	void workLosesLockAfterLongestHoldTime() throws Exception {
		List<LockLoss> losses = new CopyOnWriteArrayList<>();
		try (DefaultLockRegistry bounded = bounded(Duration.ofSeconds(1), losses)) {
			LockHandle lock = bounded.acquire(this.request);
			await().until(() -> !losses.isEmpty());
			assertThat(losses).extracting(LockLoss::reason).containsExactly(LockLoss.Reason.MAX_HOLD_TIME);
			assertThat(lock.isValid()).isFalse();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
		}
	}

	/** A registry where work may hold a lock for no longer than one lease. */
	private DefaultLockRegistry bounded(Duration lease, List<LockLoss> losses) {
		LockListener listener = new LockListener() {

			@Override
			public void lost(LockLoss loss) {
				losses.add(loss);
			}

		};
		return new DefaultLockRegistry(new InMemoryLockBackend(this.store),
				new EngineSettings("bounded", Duration.ZERO, lease, lease, false, 64), List.of(listener));
	}

	@Test
	void shutdownNeitherWaitsForKeptLockNorReleasesIt() throws Exception {
		LockHandle lock = this.registry.acquire(this.request);
		lock.releaseAfter(Duration.ofMinutes(1));
		await().until(() -> this.registry.held().get(0).remainingLease().compareTo(Duration.ofSeconds(50)) > 0);
		assertThat(this.registry.shutdown(Duration.ofSeconds(20))).as("ready before the kept lock ends").isTrue();
		this.registry.close();
		LockRequest patient = LockRequest.of("kept").waitTime(LEASE.plusSeconds(1));
		assertThat(this.other.tryAcquire(patient)).isEmpty();
	}

	@Test
	void shutdownWaitsForWorkUnderLockThatIsAlsoKept() throws Exception {
		LockHandle first = this.registry.acquire(this.request);
		LockHandle second = this.registry.acquire(this.request);
		first.releaseAfter(Duration.ofMinutes(1));
		assertThat(this.registry.shutdown(Duration.ofMillis(200))).isFalse();
		second.close();
		assertThat(this.registry.shutdown(Duration.ofSeconds(5))).isTrue();
	}

	@Test
	void keepsSeveralLocks() throws Exception {
		LockHandle locks = this.registry.acquireAll(List.of(this.request, this.request("another")));
		locks.releaseAfter(Duration.ofMillis(300));
		assertThat(this.other.tryAcquire(LockRequest.of("kept"))).isEmpty();
		assertThat(this.other.tryAcquire(LockRequest.of("another"))).isEmpty();
		await().until(() -> this.registry.heldCount() == 0);
	}

	private LockRequest request(String name) {
		LockRequest request = LockRequest.of(name).type(this.request.type());
		return (this.request.owner() != null) ? request.owner(this.request.owner()) : request;
	}

	@Test
	void refusesToKeepLockOfThread() throws Exception {
		try (LockHandle lock = this.registry.acquire(LockRequest.of("kept"))) {
			assertThatIllegalStateException().isThrownBy(() -> lock.releaseAfter(Duration.ofMinutes(1)))
				.withMessageContaining("acquire it with an explicit LockOwner");
		}
	}

}
