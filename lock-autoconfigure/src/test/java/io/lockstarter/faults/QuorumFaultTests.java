package io.lockstarter.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.NamedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.quorum.QuorumClients;
import io.lockstarter.testing.Liveness;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.StressSummary;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Two of five servers are killed, frozen, restarted and flushed, in any order, while two
 * instances fight for a lock.
 */
@ExtendWith(StressRun.class)
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QuorumFaultTests {

	private static final Duration LEASE = Duration.ofSeconds(1);

	/** How often servers are harmed in each test of the stress suite. */
	private static final int ROUNDS = Integer.getInteger("lockstarter.test.quorum.rounds", 10);

	private static final int THREADS = 4;

	/** How many holds are progress. */
	private static final int HOLDS = 10;

	/** For what must happen, but has no bound of its own. */
	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final Registries registries = new Registries();

	private final Queue<Held> history = new ConcurrentLinkedQueue<>();

	private final Store store = new Store();

	private final AtomicInteger failures = new AtomicInteger();

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private QuorumClients quorum;

	private volatile boolean finished;

	@BeforeEach
	void startRedis() {
		this.quorum = QuorumClients.startVoting(LEASE);
	}

	@AfterEach
	void closeAll() throws Exception {
		this.finished = true;
		this.quorum.servers().stream().filter(RedisServer::isAlive).forEach(RedisServer::resume);
		this.threads.shutdownNow();
		this.registries.close();
		this.quorum.disconnect();
		this.quorum.close();
	}

	/**
	 * What befalls a server.
	 */
	enum Fault {

		KILLED, FROZEN, RESTARTED, FLUSHED;

		void happen(RedisServer server) {
			switch (this) {
				case KILLED -> server.kill();
				case FROZEN -> server.stop();
				case RESTARTED -> server.restart();
				case FLUSHED -> server.cli("FLUSHALL");
			}
		}

		void end(RedisServer server) {
			switch (this) {
				case KILLED -> server.restart();
				case FROZEN -> server.resume();
				case RESTARTED, FLUSHED -> {
				}
			}
		}

	}

	@Tag("stress")
	@ParameterizedTest
	@EnumSource
	void twoServersAtOnceDoNoHarm(Fault fault) throws Exception {
		List<Future<?>> work = fight();
		Random random = random();
		for (int round = 0; round < ROUNDS; round++) {
			List<RedisServer> victims = victims(random);
			victims.forEach(fault::happen);
			awaitProgress();
			victims.forEach(fault::end);
			awaitVotes();
			awaitProgress();
		}
		verify(work, "two servers " + fault.name().toLowerCase(Locale.ROOT));
	}

	@Tag("stress")
	@Test
	void differentFaultsInAnyOrderDoNoHarm() throws Exception {
		harm(2 * ROUNDS);
	}

	@Test
	void twoDifferentFaultsDoNoHarm() throws Exception {
		harm(1);
	}

	private void harm(int rounds) throws Exception {
		List<Future<?>> work = fight();
		Random random = random();
		for (int round = 0; round < rounds; round++) {
			List<RedisServer> victims = victims(random);
			List<Fault> faults = List.of(any(random), any(random));
			for (int i = 0; i < 2; i++) {
				faults.get(i).happen(victims.get(i));
				pause(random.nextInt(300));
			}
			awaitProgress();
			for (int i = 0; i < 2; i++) {
				faults.get(i).end(victims.get(i));
				pause(random.nextInt(300));
			}
			// Not until the emptied ones vote: sometimes too few are left for a while.
		}
		awaitProgress();
		verify(work, "different faults");
	}

	@Tag("stress")
	@Test
	void fourServersThatForgetAtOnceDoNoHarm() throws Exception {
		List<Future<?>> work = fight();
		Random random = random();
		for (int round = 0; round < ROUNDS; round++) {
			List<RedisServer> all = new ArrayList<>(this.quorum.servers());
			Collections.shuffle(all, random);
			all.subList(0, 4).forEach(Fault.FLUSHED::happen);
			awaitProgress();
			awaitVotes();
			awaitProgress();
		}
		verify(work, "four servers flushed at once");
	}

	@Tag("stress")
	@Test
	void frozenMinorityDelaysNobody() throws Exception {
		Duration lease = LEASE.multipliedBy(10);
		try (QuorumClients calm = QuorumClients.startVoting(lease)) {
			NamedLock lock = this.registries.open(calm.connect(), lease).get("a");
			lock.lock();
			lock.unlock();
			Duration usual = longest(lock, "all five servers well");
			List<RedisServer> frozen = calm.servers().subList(0, 2);
			frozen.forEach(RedisServer::stop);
			Liveness.within("lock and unlock while two of five servers are frozen", usual.plusMillis(400),
					() -> longest(lock, "two of five servers frozen"));
			frozen.forEach(RedisServer::resume);
			this.registries.close();
			calm.disconnect();
		}
	}

	private Duration longest(NamedLock lock, String state) {
		long[] nanos = new long[500];
		for (int i = 0; i < nanos.length; i++) {
			long start = System.nanoTime();
			lock.lock();
			lock.unlock();
			nanos[i] = System.nanoTime() - start;
		}
		Arrays.sort(nanos);
		report("%s: lock and unlock %.2f ms in the median, %.2f ms at the longest of 500", state, nanos[250] / 1e6,
				nanos[499] / 1e6);
		return Duration.ofNanos(nanos[499]);
	}

	@Test
	void aFreshQuorumWaitsOnceForTheLongestLease() throws Exception {
		try (QuorumClients fresh = QuorumClients.start(LEASE)) {
			DefaultLockRegistry registry = this.registries.open(fresh.connect(), LEASE);
			long start = System.nanoTime();
			registry.acquire(LockRequest.of("a")).close();
			Duration waited = Duration.ofNanos(System.nanoTime() - start);
			report("fresh quorum with a longest lease of %d ms: first lock after %d ms", LEASE.toMillis(),
					waited.toMillis());
			assertThat(waited).isGreaterThan(LEASE.minusMillis(400));
			assertThat(fresh.servers()).allSatisfy((server) -> {
				assertThat(server.cli("EXISTS", "lock:quorum")).isEqualTo(1L);
				assertThat(server.cli("TTL", "lock:quorum")).isEqualTo(-1L);
			});
			fresh.disconnect();
		}
	}

	@Test
	void lockAndUnlockCostOneScriptCallEachOnEveryServer() throws Exception {
		DefaultLockRegistry registry = this.registries.open(this.quorum.connect(), LEASE);
		registry.acquire(LockRequest.of("a")).close();
		await().until(() -> this.quorum.servers().stream().allMatch((server) -> server.commandCalls("evalsha") >= 2));
		this.quorum.servers().forEach(RedisServer::resetStats);
		for (int i = 0; i < 10; i++) {
			registry.acquire(LockRequest.of("a")).close();
		}
		assertThat(this.quorum.servers()).allSatisfy((server) -> {
			await().until(() -> server.commandCalls("evalsha") >= 20);
			assertThat(server.commandCalls("evalsha")).isEqualTo(20);
			assertThat(server.commandCalls("publish")).isZero();
		});
	}

	private static Fault any(Random random) {
		return Fault.values()[random.nextInt(Fault.values().length)];
	}

	private Random random() {
		long seed = Long.getLong("lockstarter.test.seed", System.nanoTime());
		report("seed %d", seed);
		return new Random(seed);
	}

	private List<RedisServer> victims(Random random) {
		List<RedisServer> all = new ArrayList<>(this.quorum.servers());
		Collections.shuffle(all, random);
		return List.copyOf(all.subList(0, 2));
	}

	private List<Future<?>> fight() {
		List<Future<?>> work = new ArrayList<>();
		for (int i = 0; i < 2; i++) {
			int number = i;
			DefaultLockRegistry registry = this.registries.open(this.quorum.connect(), LEASE);
			await().ignoreExceptionsInstanceOf(LockException.class).until(() -> {
				registry.acquire(LockRequest.of("warm-up-" + number)).close();
				return true;
			});
			for (int j = 0; j < THREADS; j++) {
				// One is impatient, so that the servers are asked all the time.
				Duration wait = (j == 0) ? Duration.ZERO : Duration.ofSeconds(5);
				work.add(this.threads.submit(() -> work(registry, LockRequest.of("a").waitTime(wait))));
			}
		}
		awaitProgress();
		return work;
	}

	private void work(DefaultLockRegistry registry, LockRequest request) {
		Random random = new Random();
		while (!this.finished) {
			try (LockHandle handle = registry.acquire(request)) {
				hold(handle, System.nanoTime(), (random.nextInt(10) == 0) ? 500 : random.nextInt(20));
			}
			catch (LockAcquisitionTimeoutException ex) {
				pause(2);
			}
			catch (LockException ex) {
				this.failures.incrementAndGet();
				pause(5);
			}
			catch (InterruptedException ex) {
				return;
			}
		}
	}

	/** Stay for a while, and note for how long the lock was believed in. */
	private void hold(LockHandle handle, long begin, int millis) {
		long last = 0;
		long end = begin + millis * 1_000_000L;
		do {
			long now = System.nanoTime();
			if (handle.isValid()) {
				last = now;
			}
			LockSupport.parkNanos(200_000);
		}
		while (System.nanoTime() - end < 0);
		this.store.write(handle.fencingToken());
		if (last != 0) {
			this.history.add(new Held(begin, last, handle.fencingToken()));
		}
	}

	private void awaitProgress() {
		int before = this.history.size();
		long start = System.nanoTime();
		await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> this.history.size() > before + HOLDS);
		report("%d holds after %d ms", HOLDS, (System.nanoTime() - start) / 1_000_000);
	}

	private void awaitVotes() {
		await().atMost(PATIENCE).until(() -> this.quorum.votes() == 5);
	}

	private void verify(List<Future<?>> work, String what) throws Exception {
		this.finished = true;
		for (Future<?> each : work) {
			each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		}
		List<Held> holds = this.history.stream().sorted(Comparator.comparingLong(Held::begin)).toList();
		if (StressRun.isUnderWay()) {
			StressSummary.HOLDS_CHECKED.add(holds.size());
		}
		long gap = 0;
		for (int i = 1; i < holds.size(); i++) {
			Held before = holds.get(i - 1);
			Held after = holds.get(i);
			assertThat(after.begin()).as("%s before %s", before, after).isGreaterThan(before.end());
			assertThat(after.token()).as("%s before %s", before, after).isGreaterThan(before.token());
			gap = Math.max(gap, after.begin() - before.end());
		}
		report("%s: %d holds without overlap, tokens rising; longest gap %d ms; %d failed attempts, %d stale writes"
				+ " refused", what, holds.size(), gap / 1_000_000, this.failures.get(), this.store.refused());
	}

	private static void pause(int millis) {
		LockSupport.parkNanos(millis * 1_000_000L);
	}

	private void report(String format, Object... arguments) {
		System.out.printf("[%s] %s%n", getClass().getSimpleName(), format.formatted(arguments));
	}

	/**
	 * A span in which a thread believed to hold the lock.
	 */
	private record Held(long begin, long end, long token) {
	}

	/**
	 * Refuses what comes with too low a token.
	 */
	private static final class Store {

		private long highest;

		private int refused;

		synchronized void write(long token) {
			if (token < this.highest) {
				this.refused++;
			}
			this.highest = Math.max(this.highest, token);
		}

		synchronized int refused() {
			return this.refused;
		}

	}

}
