package io.lockstarter.faults;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.NamedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.testing.CommandStats;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What locks cost in commands, counted by Redis.
 */
class CommandCountTests extends RedisOfItsOwn {

	private static final Duration LEASE = Duration.ofSeconds(30);

	@Test
	void uncontendedCycleCostsTwoScriptCalls() {
		NamedLock lock = observedRegistry(LEASE).get("a");
		cycle(lock, 10);
		CommandStats before = this.redis.stats();
		cycle(lock, 200);
		CommandStats spent = this.redis.stats().minus(before);
		assertThat(spent.calls("evalsha")).isEqualTo(400);
		assertThat(spent.calls("eval")).isZero();
		assertThat(spent.calls("publish")).isZero();
		assertThat(this.events.renewals).hasValue(0);
	}

	/** Five to acquire and two to release, also of a new name. */
	@Test
	void uncontendedCycleRunsSevenCommandsInItsScripts() {
		Map<String, Long> seven = Map.of("exists", 100L, "time", 100L, "set", 100L, "hset", 100L, "pexpire", 100L,
				"hmget", 100L, "del", 100L);
		DefaultLockRegistry registry = registry(LEASE);
		cycle(registry.get("a"), 1);
		CommandStats before = this.redis.stats();
		cycle(registry.get("a"), 100);
		assertThat(scripted(before)).isEqualTo(seven);
		before = this.redis.stats();
		IntStream.range(0, 100).forEach((i) -> cycle(registry.get("name-" + i), 1));
		assertThat(scripted(before)).isEqualTo(seven);
	}

	/** What scripts have run since. */
	private Map<String, Long> scripted(CommandStats before) {
		Map<String, Long> calls = new TreeMap<>(this.redis.stats().minus(before).calls());
		calls.remove("evalsha");
		return calls;
	}

	@Test
	void uncontendedCycleSendsNothingBesideItsScriptCalls() {
		DefaultLockRegistry one = registry(LEASE);
		DefaultLockRegistry two = registry(LEASE);
		cycle(one.get("a"), 1);
		cycle(two.get("a"), 1);
		try (Traffic traffic = Traffic.watch(this.redis)) {
			for (int i = 0; i < 50; i++) {
				cycle(one.get("a"), 1);
				cycle(two.get("a"), 1);
				cycle(one.get("name-" + i), 1);
			}
			assertThat(traffic.counts()).isEqualTo(Map.of("acquire", 150L, "release", 150L));
		}
	}

	@Test
	void leaseThatIsLongEnoughIsEnsuredWithoutACommand() throws InterruptedException {
		DefaultLockRegistry registry = registry(Duration.ofMinutes(10));
		try (LockHandle first = registry.acquire(LockRequest.of("a"))) {
			first.ensureLease(Duration.ofMinutes(20));
		}
		try (LockHandle held = registry.acquire(LockRequest.of("a")); Traffic traffic = Traffic.watch(this.redis)) {
			for (int i = 0; i < 20; i++) {
				held.ensureLease(Duration.ofMinutes(1));
			}
			assertThat(traffic.counts()).isEmpty();
			held.ensureLease(Duration.ofMinutes(20));
			assertThat(held.remainingLease()).isGreaterThan(Duration.ofMinutes(19));
			assertThat(traffic.counts()).isEqualTo(Map.of("renew", 1L));
		}
	}

	@Test
	void reentryCostsNoAcquireAndNoRelease() {
		NamedLock lock = registry(LEASE).get("a");
		cycle(lock, 1);
		try (Traffic traffic = Traffic.watch(this.redis)) {
			lock.lock();
			for (int i = 0; i < 20; i++) {
				lock.lock();
			}
			await().until(() -> holdCounts("a").equals(List.of("21")));
			for (int i = 0; i < 20; i++) {
				lock.unlock();
			}
			await().until(() -> holdCounts("a").equals(List.of("1")));
			lock.unlock();
			Map<String, Long> counts = traffic.counts();
			assertThat(counts).containsEntry("acquire", 1L).containsEntry("release", 1L);
			// The count is written beside the caller's work, many changes at a time.
			assertThat(counts.get("renew")).isLessThanOrEqualTo(40);
		}
	}

	/**
	 * The renewals are dated by Redis: one comes a third of the lease after the other,
	 * less a sixtieth for the grid that joins batches. A busy machine makes some of them
	 * late, and the next one seem early, but not most of them.
	 */
	@Tag("stress")
	@Test
	void lockHeldForThreeLeasesIsRenewedEveryThirdOfTheLease() {
		Duration lease = Duration.ofMillis(900);
		NamedLock lock = observedRegistry(lease).get("a");
		cycle(lock, 1);
		List<Traffic.Command> commands;
		try (Traffic traffic = Traffic.watch(this.redis)) {
			lock.lock();
			await().atMost(PATIENCE).until(() -> this.events.renewals.get() >= 10);
			assertThat(lock.isHeldByCurrentOwner()).isTrue();
			lock.unlock();
			commands = traffic.read();
		}
		assertThat(commands.get(0).name()).isEqualTo("acquire");
		assertThat(commands.get(commands.size() - 1).name()).isEqualTo("release");
		List<Long> renewals = commands.subList(1, commands.size() - 1)
			.stream()
			.filter((command) -> command.name().equals("renew"))
			.map((command) -> TimeUnit.MICROSECONDS.toMillis(command.micros() - commands.get(0).micros()))
			.toList();
		report("renewals at %s ms with a lease of %d ms", renewals, lease.toMillis());
		assertThat(renewals).hasSizeGreaterThanOrEqualTo(10);
		assertThat(medianGap(renewals)).isBetween(lease.toMillis() * 19 / 60, lease.toMillis() * 24 / 60);
		assertThat(this.events.losses).isEmpty();
	}

	@Test
	void shortHoldsAreNeverRenewed() {
		Duration lease = Duration.ofSeconds(3);
		NamedLock lock = observedRegistry(lease).get("a");
		cycle(lock, 1);
		try (Traffic traffic = Traffic.watch(this.redis)) {
			// Longer than it takes to the first renewal
			long end = System.nanoTime() + lease.toNanos() * 2 / 5;
			long cycles = 0;
			while (System.nanoTime() < end) {
				cycle(lock, 1);
				cycles++;
			}
			assertThat(traffic.counts()).isEqualTo(Map.of("acquire", cycles, "release", cycles));
		}
		assertThat(this.events.renewals).hasValue(0);
	}

	@Test
	void fixedLeaseIsNeverRenewed() throws Exception {
		DefaultLockRegistry registry = observedRegistry(LEASE);
		cycle(registry.get("a"), 1);
		try (Traffic traffic = Traffic.watch(this.redis)) {
			registry.acquire(LockRequest.of("a").leaseTime(Duration.ofMillis(300)));
			await().until(() -> !this.events.losses.isEmpty());
			assertThat(traffic.counts()).isEqualTo(Map.of("acquire", 1L));
		}
	}

	@Test
	void releasePublishesIfSomebodyWaitsAndNeverOtherwise() throws Exception {
		DefaultLockRegistry one = registry(LEASE);
		DefaultLockRegistry two = registry(LEASE);
		// Once its subscription has begun, who waits asks again.
		waitForOneAnother(one, two, "before").close();
		LockHandle held = one.acquire(LockRequest.of("a"));
		Future<LockHandle> waiting = waiter(two, "a");
		this.redis.resetStats();
		held.close();
		waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		// Whether there is a subscriber, and the grant.
		assertThat(this.redis.commandCalls("publish")).isEqualTo(2);
		assertThat(holdCounts("a")).containsExactly("1");
		this.redis.resetStats();
		cycle(one.get("b"), 20);
		assertThat(this.redis.commandCalls("publish")).isZero();
	}

	private LockHandle waitForOneAnother(DefaultLockRegistry first, DefaultLockRegistry second, String name)
			throws Exception {
		LockHandle held = first.acquire(LockRequest.of(name));
		Future<LockHandle> waiting = waiter(second, name);
		await().until(() -> ((List<?>) this.redis.cli("PUBSUB", "CHANNELS", "lock:wake:*")).size() == 1);
		held.close();
		return waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
	}

	private Future<LockHandle> waiter(DefaultLockRegistry registry, String name) {
		Future<LockHandle> waiting = registry.acquireAsync(LockRequest.of(name));
		await().until(() -> this.redis.cli("ZCARD", key(name) + ":waiters").equals(1L));
		return waiting;
	}

	@Test
	void tryLockOnAHeldLockCostsOneCallAndNoWaiting() {
		DefaultLockRegistry one = registry(LEASE);
		NamedLock lock = registry(LEASE).get("a");
		cycle(lock, 1);
		one.get("a").lock();
		try (Traffic traffic = Traffic.watch(this.redis)) {
			for (int i = 0; i < 20; i++) {
				assertThat(lock.tryLock()).isFalse();
			}
			assertThat(traffic.counts()).isEqualTo(Map.of("acquire", 20L));
		}
		assertThat(this.redis.cli("EXISTS", key("a") + ":waiters")).isEqualTo(0L);
	}

	@Test
	void locksWorkWhileTheScriptCacheIsFlushedInALoop() throws Exception {
		DefaultLockRegistry registry = observedRegistry(Duration.ofSeconds(3));
		LockHandle held = registry.acquire(LockRequest.of("held"));
		Future<Integer> flusher = async(() -> {
			int flushes = 0;
			for (; held.isValid(); flushes++) {
				this.redis.cli("SCRIPT", "FLUSH");
			}
			return flushes;
		});
		long last = 0;
		for (int i = 0; i < 100 || this.events.renewals.get() == 0; i++) {
			LockHandle handle = registry.acquire(LockRequest.of("a"));
			assertThat(handle.fencingToken()).isGreaterThan(last);
			last = handle.fencingToken();
			handle.close();
		}
		assertThat(isLocked("a")).isFalse();
		assertThat(held.isValid()).isTrue();
		held.close();
		assertThat(flusher.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isPositive();
		assertThat(this.events.renewals).hasPositiveValue();
		assertThat(this.events.losses).isEmpty();
		assertThat(this.events.unconfirmedReleases).hasValue(0);
		assertThat(this.events.failedRenewals).hasValue(0);
	}

	private static long medianGap(List<Long> times) {
		long[] gaps = IntStream.range(1, times.size())
			.mapToLong((i) -> times.get(i) - times.get(i - 1))
			.sorted()
			.toArray();
		return gaps[gaps.length / 2];
	}

	private static void cycle(NamedLock lock, int times) {
		for (int i = 0; i < times; i++) {
			lock.lock();
			lock.unlock();
		}
	}

}
