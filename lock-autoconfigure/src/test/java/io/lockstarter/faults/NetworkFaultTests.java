package io.lockstarter.faults;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.NamedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.testing.TcpProxy;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

/**
 * A network that loses, delays and repeats what is sent over it.
 */
class NetworkFaultTests extends RedisOfItsOwn {

	private static final Duration LEASE = Duration.ofSeconds(6);

	/** What a waiter that lost its wake-up may take. */
	private static final Duration WAKE_BOUND = Duration.ofMillis(1500);

	private TcpProxy proxy;

	@BeforeEach
	void startProxy() {
		this.proxy = this.registries.keep(TcpProxy.to(this.redis));
	}

	/** An instance behind the proxy, connected and with its scripts loaded. */
	private DefaultLockRegistry proxied(Duration lease) throws InterruptedException {
		DefaultLockRegistry registry = this.registries.open(this.proxy.host(), this.proxy.port(), lease, this.events);
		registry.acquire(LockRequest.of("warm-up").leaseTime(Duration.ofSeconds(30))).close();
		await().untilAtomic(this.events.releases, equalTo(1));
		this.events.releases.set(0);
		return registry;
	}

	@Test
	void acquireWhoseReplyIsLostHoldsOnceAndIsFreedByOneUnlock() throws Exception {
		NamedLock lock = proxied(LEASE).get("a");
		CompletableFuture<Void> dropped = this.proxy.dropReplyTo(key("a"));
		lock.lock();
		assertThat(dropped).isCompleted();
		assertThat(holdCounts("a")).containsExactly("1");
		assertThat(lock.holdCount()).isEqualTo(1);
		lock.unlock();
		assertThat(isLocked("a")).isFalse();
	}

	@Test
	void acquireThatIsCutOffBeforeRedisSeesItHoldsOnce() throws Exception {
		NamedLock lock = proxied(LEASE).get("a");
		CompletableFuture<Void> cut = this.proxy.cutBeforeRequest(key("a"));
		lock.lock();
		assertThat(cut).isCompleted();
		assertThat(holdCounts("a")).containsExactly("1");
		lock.unlock();
		assertThat(isLocked("a")).isFalse();
	}

	/** The client library sends it again, and a replica refuses it. */
	@Test
	void acquireThatIsRefusedAfterItsReplyWasLostIsEnded() throws Exception {
		DefaultLockRegistry registry = proxied(Duration.ofSeconds(30));
		this.proxy.holdReplies();
		Future<LockHandle> refused = async(() -> registry.acquire(LockRequest.of("a")));
		await().pollInterval(Duration.ofMillis(1)).until(() -> isLocked("a"));
		this.redis.cli("REPLICAOF", "127.0.0.1", "1");
		this.proxy.cutAll();
		this.proxy.releaseHeld();
		assertThat(refused).failsWithin(PATIENCE)
			.withThrowableThat()
			.havingCause()
			.isInstanceOfSatisfying(LockBackendException.class, (failure) -> {
				assertThat(failure.reason()).isEqualTo(Reason.READ_ONLY);
				assertThat(failure.mayHaveRun()).isTrue();
			});
		assertThat(isLocked("a")).isTrue();
		this.redis.cli("REPLICAOF", "NO", "ONE");
		await().atMost(PATIENCE).until(() -> !isLocked("a"));
	}

	@Test
	void acquireThatArrivesAgainAfterItsReleaseTakesNothing() throws Exception {
		DefaultLockRegistry registry = proxied(LEASE);
		CompletableFuture<Void> kept = this.proxy.holdRequest(key("a"));
		LockHandle handle = registry.acquire(LockRequest.of("a"));
		assertThat(kept).isCompleted();
		handle.close();
		this.proxy.deliverHeld().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		assertThat(isLocked("a")).isFalse();
		LockHandle next = registry.acquire(LockRequest.of("a"));
		assertThat(next.fencingToken()).isGreaterThan(handle.fencingToken());
		next.close();
	}

	@Test
	void acquireThatArrivesAgainDoesNotDisturbTheNextHolder() throws Exception {
		DefaultLockRegistry registry = proxied(LEASE);
		this.proxy.holdRequest(key("a"));
		registry.acquire(LockRequest.of("a")).close();
		LockHandle next = registry(LEASE).acquire(LockRequest.of("a"));
		this.proxy.deliverHeld().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		assertThat(holdCounts("a")).containsExactly("1");
		next.ensure(LEASE.minusMillis(100));
		next.close();
		assertThat(isLocked("a")).isFalse();
	}

	@Test
	void acquireThatArrivesAfterItsCancellationTakesNothing() throws Exception {
		DefaultLockRegistry registry = proxied(LEASE);
		CompletableFuture<Void> kept = this.proxy.holdRequest(key("a"));
		CompletableFuture<LockHandle> acquiring = registry.acquireAsync(LockRequest.of("a"));
		kept.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		// No second attempt of the client library gets through in time.
		this.proxy.refuse();
		this.proxy.cutAll();
		assertThat(acquiring).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(LockBackendException.class);
		this.proxy.accept();
		await().atMost(LEASE).until(() -> this.redis.cli("EXISTS", key("a") + ":fence").equals(1L));
		this.proxy.deliverHeld().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		assertThat(isLocked("a")).isFalse();
		registry.acquire(LockRequest.of("a")).close();
	}

	@Test
	void lockWhoseReplyComesTooLateIsFreedWhenTheNetworkHeals() throws Exception {
		DefaultLockRegistry registry = proxied(LEASE);
		this.proxy.holdReplies();
		long start = System.nanoTime();
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> registry.acquire(LockRequest.of("a")))
			.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.TIMEOUT));
		assertThat(since(start)).isLessThan(Duration.ofMillis(1500));
		this.proxy.releaseHeld();
		// Long before the lease ends by itself.
		await().atMost(Duration.ofSeconds(2)).until(() -> !isLocked("a"));
		registry.acquire(LockRequest.of("a")).close();
		assertThat(isLocked("a")).isFalse();
	}

	@Test
	void acquireDelayedBeyondItsTimeoutIsFreedWhenTheNetworkHeals() throws Exception {
		DefaultLockRegistry registry = proxied(LEASE);
		this.proxy.holdRequests();
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> registry.acquire(LockRequest.of("a")))
			.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.TIMEOUT));
		this.proxy.releaseHeld();
		await().atMost(Duration.ofSeconds(1)).until(() -> !isLocked("a"));
		await().during(Duration.ofMillis(500)).atMost(PATIENCE).until(() -> !isLocked("a"));
		registry.acquire(LockRequest.of("a")).close();
	}

	@Test
	void releaseWhoseReplyIsLostReturnsNormally() throws Exception {
		LockHandle handle = proxied(LEASE).acquire(LockRequest.of("a"));
		CompletableFuture<Void> dropped = this.proxy.dropReplyTo(key("a"));
		handle.close();
		assertThat(dropped).isCompleted();
		assertThat(isLocked("a")).isFalse();
		await().untilAtomic(this.events.releases, equalTo(1));
		assertThat(this.events.losses).isEmpty();
	}

	@Test
	void releaseWithoutAReplyReturnsInTimeAndGoesOnInTheBackground() throws Exception {
		LockHandle handle = proxied(LEASE).acquire(LockRequest.of("a"));
		this.proxy.holdRequests();
		long start = System.nanoTime();
		handle.close();
		assertThat(since(start)).isLessThan(Duration.ofMillis(1500));
		await().untilAtomic(this.events.unconfirmedReleases, equalTo(1));
		assertThat(isLocked("a")).isTrue();
		this.proxy.releaseHeld();
		await().atMost(Duration.ofSeconds(1)).until(() -> !isLocked("a"));
		assertThat(this.events.losses).isEmpty();
	}

	@Test
	void releaseThatArrivesAgainDoesNotFreeTheNextHolder() throws Exception {
		DefaultLockRegistry registry = proxied(LEASE);
		LockHandle handle = registry.acquire(LockRequest.of("a"));
		CompletableFuture<Void> kept = this.proxy.holdRequest(key("a"));
		handle.close();
		assertThat(kept).isCompleted();
		LockHandle next = registry.acquire(LockRequest.of("a"));
		this.proxy.deliverHeld().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		assertThat(isLocked("a")).isTrue();
		next.extend(LEASE);
		next.close();
		assertThat(isLocked("a")).isFalse();
	}

	@Test
	void releaseThatIsCutOffHardlyDelaysTheNextAcquire() throws Exception {
		DefaultLockRegistry registry = proxied(LEASE);
		LockHandle handle = registry.acquire(LockRequest.of("a"));
		CompletableFuture<Void> cut = this.proxy.cutBeforeRequest(key("a"));
		handle.close();
		long closed = System.nanoTime();
		assertThat(cut).isCompleted();
		registry.acquire(LockRequest.of("a")).close();
		report("release cut off: lock taken again by the same instance after %d ms", since(closed).toMillis());
		assertThat(since(closed)).isLessThan(Duration.ofMillis(500));
	}

	/**
	 * The cancellation of a first attempt is repeated, and its last copy comes after the
	 * second attempt has been put among the waiters, and takes the client out of them.
	 */
	@Test
	void cancellationThatArrivesLateLeavesItsClientAmongTheWaiters() throws Exception {
		DefaultLockRegistry registry = proxied(LEASE);
		DefaultLockRegistry other = registry(LEASE);
		LockHandle held = other.acquire(LockRequest.of("a"));
		other.acquire(LockRequest.of("b"));
		// Subscribed beforehand, or the new subscription would wake the client.
		CompletableFuture<LockHandle> subscribing = registry.acquireAsync(LockRequest.of("b"));
		await().until(this::isSubscribed);
		subscribing.cancel(true);
		long commandTimeout = LEASE.toNanos() / 6;
		this.proxy.holdRequests();
		long start = System.nanoTime();
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> registry.acquire(LockRequest.of("a")));
		awaitTime(start + 19 * commandTimeout / 10);
		CompletableFuture<LockHandle> second = registry.acquireAsync(LockRequest.of("a"));
		awaitTime(start + 24 * commandTimeout / 10);
		this.proxy.releaseHeld();
		await().atMost(Duration.ofMillis(600)).during(Duration.ofMillis(150)).until(this::isWaitedFor);
		held.close();
		long released = System.nanoTime();
		second.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
		assertThat(since(released)).isLessThan(Duration.ofMillis(500));
	}

	@Test
	void releaseThatArrivesLateDelaysItsClientByNoMoreThanTheRecheck() throws Exception {
		DefaultLockRegistry registry = proxied(LEASE);
		LockHandle first = registry.acquire(LockRequest.of("a"));
		this.proxy.holdRequest(key("a"));
		first.close();
		LockHandle held = registry(LEASE).acquire(LockRequest.of("a"));
		Future<Long> granted = waiter(registry);
		this.proxy.deliverHeld().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		held.close();
		assertThat(wait(granted, System.nanoTime())).isLessThan(WAKE_BOUND.toMillis());
	}

	private boolean isSubscribed() {
		return ((List<?>) this.redis.cli("PUBSUB", "CHANNELS", "lock:wake:*")).size() == 1;
	}

	private boolean isWaitedFor() {
		return this.redis.cli("ZCARD", key("a") + ":waiters").equals(1L);
	}

	@Test
	void renewalWhoseReplyIsLostKeepsTheLock() throws Exception {
		LockHandle handle = proxied(Duration.ofMillis(1500)).acquire(LockRequest.of("a"));
		CompletableFuture<Void> dropped = this.proxy.dropReplyTo(key("a"));
		await().atMost(PATIENCE).until(() -> this.events.renewals.get() >= 5);
		assertThat(dropped).isCompleted();
		assertThat(handle.isValid()).isTrue();
		assertThat(this.events.losses).isEmpty();
		handle.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void silenceInOneDirectionIsLossByTheDeadlineAndBlocksNobody(boolean requests) throws Exception {
		Duration lease = Duration.ofMillis(1500);
		LockHandle handle = proxied(lease).acquire(LockRequest.of("a"));
		await().until(() -> this.events.renewals.get() >= 1);
		if (requests) {
			this.proxy.holdRequests();
		}
		else {
			this.proxy.holdReplies();
		}
		long deadline = System.nanoTime() + handle.remainingLease().toNanos();
		await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> !this.events.losses.isEmpty());
		long late = this.events.loss().at() - deadline;
		report("one-way silence (%s): loss told %.1f ms after the local deadline", requests ? "requests" : "replies",
				late / 1e6);
		assertThat(late).isBetween(-1_000_000L, 400_000_000L);
		assertThat(this.events.loss().reason()).isEqualTo(LockLoss.Reason.LEASE_EXPIRED);
		assertThat(this.events.failedRenewals).hasPositiveValue();
		long start = System.nanoTime();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(handle::close);
		assertThat(since(start)).as("sooner than a command times out").isLessThan(Duration.ofMillis(240));
		this.proxy.releaseHeld();
		await().atMost(Duration.ofSeconds(2)).until(() -> !isLocked("a"));
	}

	@Test
	void lockIsKeptWhileTheConnectionIsCutAgainAndAgain() throws Exception {
		LockHandle handle = proxied(Duration.ofMillis(1500)).acquire(LockRequest.of("a"));
		long end = System.nanoTime() + Duration.ofSeconds(4).toNanos();
		while (System.nanoTime() < end) {
			this.proxy.cutAll();
			awaitElapsed(Duration.ofMillis(100));
		}
		assertThat(handle.isValid()).isTrue();
		assertThat(this.events.losses).isEmpty();
		handle.close();
		await().until(() -> !isLocked("a"));
	}

	@RepeatedTest(3)
	void waiterWhoseSubscriptionIsKilledDuringTheUnlockGetsTheLock() throws Exception {
		LockHandle held = registry(Duration.ofSeconds(20)).acquire(LockRequest.of("a"));
		Future<Long> granted = waiter(registry(Duration.ofSeconds(20)));
		assertThat(this.redis.cli("CLIENT", "KILL", "TYPE", "pubsub")).isEqualTo(1L);
		held.close();
		long released = System.nanoTime();
		report("subscription killed during the unlock: lock granted %d ms after it", wait(granted, released));
		assertThat(wait(granted, released)).isLessThan(WAKE_BOUND.toMillis());
	}

	@Test
	void waiterWhoseSubscriptionIsKilledAgainAndAgainGetsTheLock() throws Exception {
		LockHandle held = registry(Duration.ofSeconds(20)).acquire(LockRequest.of("a"));
		Future<Long> granted = waiter(registry(Duration.ofSeconds(20)));
		Future<Integer> killer = async(() -> {
			int kills = 0;
			for (; !granted.isDone(); kills++) {
				this.redis.cli("CLIENT", "KILL", "TYPE", "pubsub");
				awaitElapsed(Duration.ofMillis(5));
			}
			return kills;
		});
		awaitElapsed(Duration.ofMillis(1500));
		held.close();
		long released = System.nanoTime();
		report("subscription killed every 5 ms: lock granted %d ms after the unlock", wait(granted, released));
		assertThat(wait(granted, released)).isLessThan(WAKE_BOUND.toMillis());
		assertThat(killer.get(1, TimeUnit.SECONDS)).isGreaterThan(1);
	}

	/** Redis counts the message as delivered, but it never arrives. */
	@Test
	void waiterWhoseWakeUpIsLostOnTheWayGetsTheLock() throws Exception {
		LockHandle held = registry(Duration.ofSeconds(20)).acquire(LockRequest.of("a"));
		Future<Long> granted = waiter(proxied(Duration.ofSeconds(20)));
		this.proxy.holdReplies();
		held.close();
		long released = System.nanoTime();
		this.proxy.cutAll();
		this.proxy.releaseHeld();
		report("wake-up lost on the way: lock granted %d ms after the unlock", wait(granted, released));
		assertThat(wait(granted, released)).isLessThan(WAKE_BOUND.toMillis());
	}

	/** The bounded re-check is all that is left. */
	@Test
	void waiterThatCannotSubscribeAgainGetsTheLock() throws Exception {
		LockHandle held = registry(Duration.ofSeconds(20)).acquire(LockRequest.of("a"));
		Future<Long> granted = waiter(proxied(Duration.ofSeconds(20)));
		this.redis.cli("CLIENT", "KILL", "TYPE", "pubsub");
		this.proxy.refuse();
		held.close();
		long released = System.nanoTime();
		report("no subscription at all: lock granted %d ms after the unlock", wait(granted, released));
		assertThat(wait(granted, released)).isLessThan(WAKE_BOUND.toMillis());
		this.proxy.accept();
	}

	/**
	 * Both connections are dropped on the way, by a firewall that was restarted. Without
	 * anybody's doing it would take a quarter of an hour.
	 */
	@ParameterizedTest
	@ValueSource(ints = { 1, 60 })
	void leavesAConnectionThatIsSilent(int timeoutSeconds) throws Exception {
		RedisClients clients = this.registries.keep(new RedisClients());
		DefaultLockRegistry registry = this.registries
			.open(clients.connect(new RedisStandaloneConfiguration(this.proxy.host(), this.proxy.port()),
					LettuceClientConfiguration.builder().commandTimeout(Duration.ofSeconds(timeoutSeconds)).build()),
					Duration.ofSeconds(20), this.events);
		LockHandle held = registry.acquire(LockRequest.of("held"));
		this.proxy.silenceAll();
		long start = System.nanoTime();
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> registry.acquire(LockRequest.of("a")))
			.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.TIMEOUT));
		await().atMost(Duration.ofSeconds(15)).ignoreExceptionsInstanceOf(LockBackendException.class).until(() -> {
			registry.acquire(LockRequest.of("a")).close();
			return true;
		});
		report("silent connection: lock granted %d ms after it fell silent", since(start).toMillis());
		assertThat(held.isValid()).isTrue();
		await().atMost(PATIENCE).until(() -> remainingLease("held").compareTo(Duration.ofSeconds(15)) > 0);
		held.close();
		assertThat(this.events.losses).isEmpty();
	}

	/** A server that answers nobody would answer on a new connection just as little. */
	@Test
	void keepsTheConnectionToAServerThatHangs() throws Exception {
		DefaultLockRegistry registry = proxied(Duration.ofSeconds(20));
		List<String> before = connections();
		this.redis.stop();
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> registry.acquire(LockRequest.of("a")));
		awaitElapsed(Duration.ofSeconds(7));
		this.redis.resume();
		registry.acquire(LockRequest.of("a")).close();
		await().untilAsserted(() -> assertThat(connections()).isEqualTo(before));
	}

	/** The ids of those that Redis has, but the one that asks. */
	private List<String> connections() {
		return String.valueOf(this.redis.cli("CLIENT", "LIST", "TYPE", "normal"))
			.lines()
			.filter((line) -> !line.contains(" cmd=client"))
			.map((line) -> line.split(" ", 2)[0])
			.toList();
	}

	/** Redis counts a subscriber, and grants it a lock that it never hears of. */
	@Test
	void waiterLeavesASubscriptionThatIsSilent() throws Exception {
		LockHandle held = registry(Duration.ofSeconds(20)).acquire(LockRequest.of("a"));
		Future<Long> granted = waiter(proxied(Duration.ofSeconds(20)));
		String before = subscribers();
		this.proxy.silenceSubscriptions();
		long start = System.nanoTime();
		await().atMost(PATIENCE).until(() -> !subscribers().equals(before));
		report("silent subscription: made anew after %d ms", since(start).toMillis());
		held.close();
		long released = System.nanoTime();
		assertThat(wait(granted, released)).isLessThan(WAKE_BOUND.toMillis());
	}

	/** It would not be told that others wait, and hand the lock on for ever. */
	@Test
	void holderLeavesASubscriptionThatIsSilent() throws Exception {
		DefaultLockRegistry registry = proxied(Duration.ofSeconds(3));
		LockHandle held = registry.acquire(LockRequest.of("a"));
		Future<Long> granted = waiter(registry(Duration.ofSeconds(20)));
		LockHandle other = registry.acquire(LockRequest.of("b"));
		CompletableFuture<LockHandle> next = registry.acquireAsync(LockRequest.of("b"));
		other.close();
		next.get(5, TimeUnit.SECONDS).close();
		await().until(() -> ((List<?>) this.redis.cli("PUBSUB", "CHANNELS", "lock:wake:*")).size() == 2);
		String before = subscribers();
		this.proxy.silenceSubscriptions();
		await().atMost(PATIENCE).until(() -> !subscribers().equals(before));
		held.close();
		assertThat(granted).succeedsWithin(PATIENCE);
	}

	@Test
	void healthLeavesASubscriptionThatIsSilent() throws Exception {
		DefaultLockRegistry registry = proxied(Duration.ofSeconds(20));
		LockHandle held = registry(Duration.ofSeconds(20)).acquire(LockRequest.of("a"));
		waiter(registry);
		this.proxy.silenceSubscriptions();
		assertThat(registry.health().get(5, TimeUnit.SECONDS).details()).containsEntry("subscription", "down");
		await().atMost(PATIENCE).until(() -> registry.health().get(5, TimeUnit.SECONDS).up());
		held.close();
	}

	private String subscribers() {
		return String.valueOf(this.redis.cli("CLIENT", "LIST", "TYPE", "pubsub"))
			.lines()
			.map((line) -> line.split(" ", 2)[0])
			.toList()
			.toString();
	}

	/** Wait for the lock, subscribed and registered when this method returns. */
	private Future<Long> waiter(DefaultLockRegistry registry) {
		Future<Long> granted = async(() -> {
			registry.acquire(LockRequest.of("a"));
			return System.nanoTime();
		});
		await().until(this::isWaitedFor);
		await().until(this::isSubscribed);
		return granted;
	}

	private static long wait(Future<Long> granted, long released) throws Exception {
		return (granted.get(25, TimeUnit.SECONDS) - released) / 1_000_000;
	}

}
