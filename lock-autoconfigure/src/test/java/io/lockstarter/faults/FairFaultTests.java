package io.lockstarter.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.testing.ChildJvm;
import io.lockstarter.testing.CommandStats;
import io.lockstarter.testing.TcpProxy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Fair locks whose holder or whose first in line dies or is frozen, and what they cost.
 */
class FairFaultTests extends RedisOfItsOwn {

	private static final Duration LEASE = Duration.ofSeconds(30);

	/** The shortest that is granted by a message. */
	private static final Duration GRANTED_LEASE = Duration.ofSeconds(5);

	private static final Duration SHORT_LEASE = Duration.ofMillis(1500);

	/** How long a free lock may wait for one who is dead. */
	private static final Duration BOUND = Duration.ofSeconds(3);

	/** After which one in line is only woken, and not granted the lock by a message. */
	private static final Duration SILENCE = Duration.ofMillis(1001);

	private static final LockRequest FAIR = LockRequest.of("a").type(LockType.FAIR);

	@Test
	void nextInLineGetsTheLockWhenTheFirstWasKilled() throws Exception {
		nextInLineGetsTheLock("killed", this::kill);
	}

	/**
	 * Kills an instance, and waits until Redis knows that. Otherwise, the release may
	 * still grant the lock to it, as to an instance that dies right after it acquired.
	 */
	private void kill(ChildJvm first) {
		List<?> inLine = (List<?>) this.redis.cli("ZRANGE", key("a") + ":waiters", "0", "0");
		String channel = inLine.get(0).toString();
		first.kill();
		await().until(() -> ((List<?>) this.redis.cli("PUBSUB", "NUMSUB", channel)).get(1).equals(0L));
	}

	@Tag("stress")
	@Test
	void nextInLineGetsTheLockWhileTheFirstIsFrozen() throws Exception {
		nextInLineGetsTheLock("frozen", FairFaultTests::freeze);
	}

	private static void freeze(ChildJvm first) {
		first.stop();
		awaitElapsed(SILENCE);
	}

	@Tag("stress")
	@Test
	void nextInLineGetsTheLockAfterTheLeaseOfOneThatIsGrantedItWhileFrozen() throws Exception {
		within("lock granted after the lease of one that was frozen", BOUND, () -> {
			LockHandle held = registry(LEASE).acquire(FAIR);
			ChildJvm first = start(GRANTED_LEASE);
			Claimant.awaitFirstInLine(this.redis);
			first.stop();
			held.close();
			long freed = System.nanoTime() + Math.max(0, remainingLease("a").toNanos());
			registry(LEASE).acquire(FAIR.waitTime(PATIENCE)).close();
			return since(freed);
		});
	}

	private void nextInLineGetsTheLock(String what, Consumer<ChildJvm> fault) throws Exception {
		within("lock granted to the next in line, the first one " + what, BOUND, () -> {
			LockHandle held = registry(LEASE).acquire(FAIR);
			ChildJvm first = start(LEASE);
			Claimant.awaitFirstInLine(this.redis);
			CompletableFuture<LockHandle> next = registry(LEASE).acquireAsync(FAIR);
			await().until(() -> this.redis.cli("ZCARD", key("a") + ":waiters").equals(2L));
			fault.accept(first);
			long freed = System.nanoTime();
			held.close();
			next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			return since(freed);
		});
	}

	private ChildJvm start(Duration lease) {
		return this.registries.keep(Claimant.start(this.redis, LockType.FAIR, lease));
	}

	@Tag("stress")
	@Test
	void newcomerGetsAFreeLockWhoseFirstInLineIsFrozenWithinThreeSeconds() throws Exception {
		within("free lock granted to a newcomer, the first in line frozen", BOUND, () -> {
			DefaultLockRegistry registry = registry(LEASE);
			Registries.warmUp(registry);
			LockHandle held = registry(LEASE).acquire(FAIR);
			ChildJvm first = start(LEASE);
			Claimant.awaitFirstInLine(this.redis);
			freeze(first);
			held.close();
			long start = System.nanoTime();
			assertThat(registry.get(FAIR).tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
			return since(start);
		});
	}

	@Tag("stress")
	@Test
	void newcomerGetsALockWhoseHolderAndFirstInLineWereKilledAtOnce() throws Exception {
		within("free lock granted, holder and first in line killed", BOUND, () -> {
			DefaultLockRegistry registry = registry(LEASE);
			Registries.warmUp(registry);
			ChildJvm holder = start(SHORT_LEASE);
			Claimant.awaitHeld(holder);
			ChildJvm first = start(LEASE);
			Claimant.awaitFirstInLine(this.redis);
			holder.kill();
			first.kill();
			long freed = System.nanoTime() + remainingLease("a").toNanos();
			registry.acquire(FAIR).close();
			Duration took = since(freed);
			await().until(() -> this.redis.cli("EXISTS", key("a"), key("a") + ":waiters").equals(0L));
			return took;
		});
	}

	@Tag("stress")
	@Test
	void waiterGetsTheLockOfAHolderThatWasKilled() throws Exception {
		within("lock granted to a waiter after the lease of a killed holder", BOUND, () -> {
			DefaultLockRegistry registry = registry(LEASE);
			Registries.warmUp(registry);
			ChildJvm holder = start(SHORT_LEASE);
			Claimant.awaitHeld(holder);
			CompletableFuture<LockHandle> next = registry.acquireAsync(FAIR);
			Claimant.awaitFirstInLine(this.redis);
			holder.kill();
			long freed = System.nanoTime() + remainingLease("a").toNanos();
			next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			return since(freed);
		});
	}

	/**
	 * Between a release and the next acquire of an instance that has waited longest, the
	 * lock is free for a round trip, however long that takes.
	 */
	@ParameterizedTest
	@ValueSource(ints = { 0, 1 })
	void nobodyOvertakesAnInstanceThatHasItsOwnTurnAgain(int waiting) throws Exception {
		TcpProxy proxy = this.registries.keep(TcpProxy.to(this.redis));
		DefaultLockRegistry first = this.registries.open(proxy.host(), proxy.port(), LEASE);
		DefaultLockRegistry last = registry(LEASE);
		Registries.warmUp(last);
		// A lock with a fixed lease is not handed over within the instance.
		LockRequest fixed = FAIR.leaseTime(LEASE);
		loadScripts(first, fixed);
		LockHandle held = first.acquire(fixed);
		List<CompletableFuture<LockHandle>> requests = new ArrayList<>();
		requests.add(first.acquireAsync(fixed));
		for (int i = 0; i < waiting; i++) {
			requests.add(registry(LEASE).acquireAsync(FAIR));
		}
		await().until(() -> waiters() == waiting);
		Map<String, Long> others = positions();
		proxy.holdReplies();
		held.releaseAsync();
		awaitSoon(() -> !isLocked("a") || isAnyDone(requests));
		// A position is accurate to the transit time of a command.
		Map<String, Long> positions = new HashMap<>(others);
		positions.putAll(positions());
		boolean isFirst = !others
			.containsKey(Collections.min(positions.entrySet(), Map.Entry.comparingByValue()).getKey());
		requests.add(last.acquireAsync(FAIR));
		awaitSoon(() -> waiters() == waiting + 2 || isAnyDone(requests));
		CompletableFuture<?> served = CompletableFuture.anyOf(requests.toArray(CompletableFuture[]::new));
		proxy.releaseHeld();
		assertThat(served.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
			.isSameAs(requests.get(isFirst ? 0 : 1).getNow(null));
	}

	/** It is granted to a queue position, and a later request has another. */
	@Test
	void nobodyGetsTheTurnOfAnEarlierRequestThatHasGone() throws Exception {
		TcpProxy proxy = this.registries.keep(TcpProxy.to(this.redis));
		DefaultLockRegistry registry = this.registries.open(proxy.host(), proxy.port(), LEASE);
		LockHandle held = registry(LEASE).acquire(FAIR);
		CompletableFuture<LockHandle> gone = registry.acquireAsync(FAIR);
		await().until(() -> waiters() == 1);
		CompletableFuture<LockHandle> second = registry(LEASE).acquireAsync(FAIR);
		await().until(() -> waiters() == 2);
		CompletableFuture<LockHandle> last = registry.acquireAsync(FAIR);
		await().until(() -> ((List<?>) this.redis.cli("PUBSUB", "CHANNELS")).size() == 2);
		proxy.holdReplies();
		held.close();
		gone.cancel(true);
		proxy.releaseHeld();
		assertThat(CompletableFuture.anyOf(second, last).get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
			.isSameAs(second.getNow(null));
	}

	/** Release the lock once while another request of the same instance waits. */
	private static void loadScripts(DefaultLockRegistry registry, LockRequest request) throws Exception {
		LockHandle held = registry.acquire(request);
		CompletableFuture<LockHandle> next = registry.acquireAsync(request);
		held.close();
		next.get().releaseAsync().toCompletableFuture().get();
	}

	private static void awaitSoon(Callable<Boolean> condition) {
		await().pollInSameThread().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(condition);
	}

	private static boolean isAnyDone(List<CompletableFuture<LockHandle>> requests) {
		return requests.stream().anyMatch(CompletableFuture::isDone);
	}

	private Map<String, Long> positions() {
		Iterator<?> waiters = ((List<?>) this.redis.cli("ZRANGE", key("a") + ":waiters", "0", "-1", "WITHSCORES"))
			.iterator();
		Map<String, Long> positions = new HashMap<>();
		while (waiters.hasNext()) {
			positions.put((String) waiters.next(), Long.valueOf((String) waiters.next()));
		}
		return positions;
	}

	private long waiters() {
		return (Long) this.redis.cli("ZCARD", key("a") + ":waiters");
	}

	@Test
	void fiftyThreadsOfOneJvmCostFewCommands() throws Exception {
		double commands = contend(List.of(handingOver()), 50, 10);
		report("FAIR, 1 JVM x 50 threads: %.2f commands an acquisition", commands);
		assertThat(commands).isLessThanOrEqualTo(5);
	}

	/** Hands locks over, whatever this run of the tests does. */
	private DefaultLockRegistry handingOver() {
		RedisClients clients = this.registries.keep(new RedisClients());
		EngineSettings settings = new EngineSettings("instance", Registries.WAIT, LEASE, null, false, 64);
		return this.registries
			.keep(new DefaultLockRegistry(clients.connect(this.redis.host(), this.redis.port()), settings, List.of()));
	}

	@Tag("stress")
	@Test
	void tenClientsOfFiveThreadsCostABoundedNumberOfCommands() throws Exception {
		List<DefaultLockRegistry> clients = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			clients.add(registry(LEASE));
		}
		double commands = contend(clients, 5, 10);
		report("FAIR, 10 clients x 5 threads: %.2f commands an acquisition", commands);
		assertThat(commands).isLessThanOrEqualTo(50);
	}

	/** The commands that each acquisition with its release costs inside scripts. */
	private double contend(List<DefaultLockRegistry> clients, int threads, int rounds) throws Exception {
		clients.forEach(Registries::warmUp);
		CommandStats before = this.redis.stats();
		CountDownLatch ready = new CountDownLatch(clients.size() * threads);
		List<Future<?>> works = new ArrayList<>();
		for (DefaultLockRegistry client : clients) {
			for (int i = 0; i < threads; i++) {
				works.add(async(() -> {
					ready.countDown();
					ready.await();
					for (int round = 0; round < rounds; round++) {
						client.acquire(FAIR.waitTime(Duration.ofSeconds(40))).close();
					}
					return null;
				}));
			}
		}
		for (Future<?> work : works) {
			work.get(50, TimeUnit.SECONDS);
		}
		CommandStats spent = this.redis.stats().minus(before);
		assertThat(isLocked("a")).isFalse();
		report("%s", spent);
		return (spent.total() - spent.calls("evalsha")) / (double) (works.size() * rounds);
	}

}
