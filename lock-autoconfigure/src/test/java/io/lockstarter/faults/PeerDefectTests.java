package io.lockstarter.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.NamedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What users of other libraries have suffered, and ours must not.
 * <p>
 * Of Redisson 4.7, by the numbers of {@code peers.md}: 3 (timers that leak), 4 (orphans
 * after interrupts), 5 (a lost interrupt), 8 (an old lease that sticks), 9 (a stale
 * renewal entry) and 10 (another's token, tokens kept for ever) are here; 2 (a dropped
 * subscription) in {@link WakeUpFaultTests}, 6 (a lost reply) in
 * {@link NetworkFaultTests}; 11 (a cap on channels) in {@link ContentionTests}.
 * <p>
 * Of Spring Integration 7.1: renewals that nobody owns, the doubled deadline, the lost
 * interrupt and the registry that grows are here; a message at every unlock in
 * {@link CommandCountTests}.
 */
class PeerDefectTests extends RedisOfItsOwn {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration SHORT_LEASE = Duration.ofMillis(1500);

	/** Redisson 3, and Spring Integration for nested pairs. */
	@Test
	void thousandsOfShortCyclesLeaveNothingToRenew() {
		DefaultLockRegistry registry = observedRegistry(SHORT_LEASE);
		for (int i = 0; i < 1000; i++) {
			NamedLock lock = registry.get("name-" + i % 10);
			lock.lock();
			lock.unlock();
			lock.lock();
			lock.lock();
			lock.unlock();
			lock.unlock();
		}
		assertSilence();
		assertThat(isLocked("name-0")).isFalse();
	}

	private void assertSilence() {
		try (Traffic traffic = Traffic.watch(this.redis)) {
			awaitElapsed(SHORT_LEASE.multipliedBy(3).dividedBy(2));
			assertThat(traffic.counts()).isEmpty();
		}
	}

	/** Redisson 4. */
	@Test
	void interruptedAttemptsLeaveNoOrphans() throws Exception {
		DefaultLockRegistry registry = observedRegistry(LEASE);
		DefaultLockRegistry other = registry(LEASE);
		registry.acquire(LockRequest.of("warm-up")).close();
		LockHandle busy = other.acquire(LockRequest.of("busy"));
		List<Future<Boolean>> attempts = new ArrayList<>();
		for (int i = 0; i < 300; i++) {
			// Two thirds of the locks are free, and the interrupt strikes while they are
			// taken.
			String name = (i % 3 == 0) ? "busy" : "name-" + i;
			attempts.add(async(() -> interruptedAttempt(registry.get(name))));
			if (i % 10 == 9) {
				attempts.get(i).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			}
		}
		int interrupted = 0;
		for (Future<Boolean> attempt : attempts) {
			interrupted += attempt.get(PATIENCE.toSeconds(), TimeUnit.SECONDS) ? 1 : 0;
		}
		report("%d of 300 attempts were interrupted", interrupted);
		assertThat(interrupted).isPositive();
		busy.close();
		await().until(() -> locks().isEmpty());
		assertThat(registry.heldCount() + registry.waitingCount()).isZero();
	}

	private boolean interruptedAttempt(NamedLock lock) {
		Thread self = Thread.currentThread();
		long pause = ThreadLocalRandom.current().nextLong(800_000);
		Thread interrupter = new Thread(() -> {
			LockSupport.parkNanos(pause);
			self.interrupt();
		});
		interrupter.start();
		try {
			lock.lockInterruptibly();
			lock.unlock();
			return false;
		}
		catch (InterruptedException ex) {
			return true;
		}
		finally {
			joinKeepingNoInterrupt(interrupter);
		}
	}

	private static void joinKeepingNoInterrupt(Thread thread) {
		await().pollInSameThread()
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(1))
			.ignoreExceptions()
			.until(() -> {
				Thread.interrupted();
				return !thread.isAlive();
			});
		Thread.interrupted();
	}

	private List<?> locks() {
		return ((List<?>) this.redis.cli("KEYS", "lock:{*}"));
	}

	/** Redisson 5. */
	@Test
	void interruptDuringLockIsKeptForLater() throws Exception {
		LockHandle held = registry(LEASE).acquire(LockRequest.of("a"));
		DefaultLockRegistry registry = registry(LEASE);
		NamedLock lock = registry.get("a");
		CompletableFuture<Thread> waiting = new CompletableFuture<>();
		Future<List<Boolean>> flags = async(() -> {
			waiting.complete(Thread.currentThread());
			lock.lock();
			boolean inside = Thread.currentThread().isInterrupted();
			boolean isHeld = lock.isHeldByCurrentOwner();
			lock.unlock();
			return List.of(inside, isHeld, Thread.interrupted());
		});
		Thread thread = waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		await().until(() -> registry.waitingCount() == 1);
		thread.interrupt();
		held.close();
		assertThat(flags.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).containsExactly(true, true, true);
		assertThat(isLocked("a")).isFalse();
	}

	/** Redisson 8. */
	@Test
	void expiredFixedLeaseDoesNotShortenTheNextLock() throws Exception {
		DefaultLockRegistry registry = observedRegistry(SHORT_LEASE);
		LockRequest fixed = LockRequest.of("a").leaseTime(Duration.ofMillis(300));
		onAThreadThatEnds(() -> {
			registry.get(fixed).lock();
			await().pollInSameThread().until(() -> !this.events.losses.isEmpty());
			NamedLock renewed = registry.get("a");
			renewed.lock();
			await().pollInSameThread().until(() -> this.events.renewals.get() >= 2);
			assertThat(renewed.isHeldByCurrentOwner()).isTrue();
			assertThat(holdCounts("a")).containsExactly("1");
			renewed.unlock();
			return null;
		});
		assertThat(this.events.losses).hasSize(1);
		assertThat(isLocked("a")).isFalse();
	}

	/** Redisson 9. */
	@Test
	void lockTakenAfterAKeyVanishedIsRenewed() throws Exception {
		DefaultLockRegistry registry = observedRegistry(SHORT_LEASE);
		LockHandle vanished = registry.acquire(LockRequest.of("a").owner(LockOwner.create("first")));
		this.redis.cli("DEL", key("a"));
		LockHandle next = registry.acquire(LockRequest.of("a").owner(LockOwner.create("second")));
		assertThat(this.events.loss().reason()).isEqualTo(LockLoss.Reason.NOT_OWNED);
		int before = this.events.renewals.get();
		await().until(() -> this.events.renewals.get() > before + 2);
		assertThat(next.isValid()).isTrue();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(vanished::close);
		assertThat(next.isValid()).isTrue();
		assertThat(isLocked("a")).isTrue();
		next.close();
		assertThat(this.events.losses).hasSize(1);
	}

	/** Redisson 10. */
	@Test
	void staleHolderKeepsItsOwnToken() throws Exception {
		DefaultLockRegistry registry = observedRegistry(LEASE);
		LockHandle stale = registry.acquire(LockRequest.of("a").leaseTime(Duration.ofSeconds(1)));
		long token = stale.fencingToken();
		LockHandle next = registry(LEASE).acquire(LockRequest.of("a"));
		assertThat(next.fencingToken()).isGreaterThan(token);
		assertThat(stale.fencingToken()).isEqualTo(token);
		await().until(() -> !this.events.losses.isEmpty());
		assertThat(this.events.loss().loss().fencingToken()).isEqualTo(token);
		next.close();
	}

	/** Redisson 10. */
	@Test
	void onlyTheLastTokensAreKeptInRedisAfterTheFencingRetention() throws Exception {
		Duration retention = Duration.ofMillis(300);
		DefaultLockRegistry registry = this.registries.open(this.redis.host(), this.redis.port(), retention,
				SHORT_LEASE, this.events);
		// It keeps marks as well
		DefaultLockRegistry other = this.registries.open(this.redis.host(), this.redis.port(), retention, SHORT_LEASE,
				this.events);
		for (int i = 0; i < 100; i++) {
			registry.acquire(LockRequest.of("name-" + i)).close();
		}
		LockHandle held = registry.acquire(LockRequest.of("a"));
		Future<LockHandle> waiting = async(
				() -> other.acquire(LockRequest.of("a").waitTime(Duration.ofMillis(100)).owner(LockOwner.create("x"))));
		assertThat(waiting).failsWithin(PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockAcquisitionTimeoutException.class);
		held.close();
		await().until(() -> ((List<?>) this.redis.cli("KEYS", "*")).stream()
			.map(String::valueOf)
			.allMatch((key) -> key.startsWith("lock:fence:")));
	}

	/** Spring Integration. */
	@Test
	void oneDeadlineCoversLocalAndRemoteWaiting() throws Exception {
		within("tryLock(1 s) behind a local and a remote thread", Duration.ofMillis(1500), () -> {
			LockHandle remote = registry(LEASE).acquire(LockRequest.of("a"));
			DefaultLockRegistry registry = registry(LEASE);
			registry.acquire(LockRequest.of("warm-up")).close();
			Future<LockHandle> head = async(() -> registry.acquire(LockRequest.of("a")));
			await().until(() -> registry.waitingCount() == 1);
			long start = System.nanoTime();
			assertThat(registry.get("a").tryLock(1, TimeUnit.SECONDS)).isFalse();
			Duration took = since(start);
			assertThat(took).isGreaterThan(Duration.ofMillis(995));
			remote.close();
			assertThat(head).succeedsWithin(PATIENCE);
			return took;
		});
	}

	/** Spring Integration. */
	@Test
	void interruptInTryLockIsAnInterruptAndNothingElse() throws Exception {
		LockHandle held = registry(LEASE).acquire(LockRequest.of("a"));
		DefaultLockRegistry registry = observedRegistry(LEASE);
		NamedLock lock = registry.get("a");
		CompletableFuture<Thread> waiting = new CompletableFuture<>();
		Callable<Boolean> attempt = () -> {
			waiting.complete(Thread.currentThread());
			try {
				lock.tryLock(20, TimeUnit.SECONDS);
				throw new AssertionError("Not interrupted");
			}
			catch (InterruptedException ex) {
				return Thread.currentThread().isInterrupted();
			}
		};
		Future<Boolean> flag = async(attempt);
		await().until(() -> this.redis.cli("ZCARD", key("a") + ":waiters").equals(1L));
		waiting.join().interrupt();
		assertThat(flag.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isFalse();
		assertThat(registry.waitingCount()).isZero();
		await().until(() -> this.redis.cli("ZCARD", key("a") + ":waiters").equals(0L));
		held.close();
		await().during(Duration.ofMillis(300)).until(() -> !isLocked("a"));
	}

	/** Spring Integration. Names of a megabyte in all for every hundred locks. */
	@Test
	void namesThatAreNoLongerUsedAreNotKept() {
		DefaultLockRegistry registry = registry(LEASE);
		lockNamesOfTenThousandCharacters(registry, 100);
		long before = usedMemory();
		lockNamesOfTenThousandCharacters(registry, 1000);
		long grown = usedMemory() - before;
		report("1,000 names of 10,000 characters left %d kB behind", grown / 1024);
		assertThat(grown).isLessThan(5_000_000);
		assertThat(registry.held()).isEmpty();
		assertThat(registry.waiting()).isEmpty();
	}

	private static void lockNamesOfTenThousandCharacters(DefaultLockRegistry registry, int count) {
		for (int i = 0; i < count; i++) {
			NamedLock lock = registry.get(i + "-" + "x".repeat(10_000));
			lock.lock();
			lock.unlock();
		}
	}

	private static long usedMemory() {
		Runtime runtime = Runtime.getRuntime();
		System.gc();
		System.gc();
		return runtime.totalMemory() - runtime.freeMemory();
	}

}
