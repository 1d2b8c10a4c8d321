package io.lockstarter.faults;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.redis.replication.Replication;
import io.lockstarter.testing.Liveness;
import io.lockstarter.testing.RedisReplication;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.StressSummary;
import io.lockstarter.testing.TcpProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The address of the master moves to another server, while connections stay with the
 * former master, which is a replica from then on. One subclass for each client library.
 */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class FormerMasterSemantics {

	private static final Duration LEASE = Duration.ofSeconds(30);

	/** Renewed every second, with another two for a machine under load. */
	private static final Duration SHORT_LEASE = Duration.ofSeconds(3);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final int MOVES = 50;

	final RedisReplication servers = RedisReplication.start(1);

	final Registries registries = new Registries();

	final TcpProxy proxy = TcpProxy.to(this.servers.master());

	private final Events events = new Events();

	@AfterEach
	void close() throws Exception {
		this.registries.close();
		this.proxy.close();
		this.servers.close();
	}

	@Test
	void firstRequestAfterTheMoveGetsItsLock() throws Exception {
		firstRequestAfterTheMoveGetsItsLock(connect(clients(), this.proxy, Replication.NONE));
	}

	final void firstRequestAfterTheMoveGetsItsLock(LockBackend backend) throws Exception {
		DefaultLockRegistry registry = open(backend, LEASE);
		RedisServer former = move();
		for (int i = 0; i < 2; i++) {
			registry.acquire(LockRequest.of("a").waitTime(Duration.ZERO)).close();
			former = move();
		}
		assertThat(former.info("role")).isEqualTo("slave");
		assertThat(this.events.failures).isEmpty();
	}

	@Test
	void holderKeepsItsLock() throws Exception {
		DefaultLockRegistry registry = open(SHORT_LEASE);
		LockHandle held = registry.acquire(LockRequest.of("a"));
		move();
		int before = this.events.renewals.get();
		await().until(() -> this.events.renewals.get() > before + 3);
		assertThat(held.isValid()).isTrue();
		held.close();
		assertThat(this.events.losses).isEmpty();
		await().until(() -> !isLocked("a"));
		assertThat(this.events.unconfirmedReleases).hasValue(0);
	}

	@Test
	void whoWaitsIsWokenByTheNewMaster() throws Exception {
		DefaultLockRegistry holder = open(LEASE);
		DefaultLockRegistry registry = open(LEASE);
		LockHandle held = holder.acquire(LockRequest.of("a"));
		CompletableFuture<LockHandle> waiting = queue(registry, "a");
		move();
		await().until(() -> subscriptions(this.servers.master()) == 1);
		held.close();
		LockHandle granted = waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		assertThat(granted.fencingToken()).isGreaterThan(held.fencingToken());
		granted.close();
		assertThat(this.events.losses).isEmpty();
	}

	/**
	 * The former master passes on what the new one publishes, also to one whose lock was
	 * taken back, since its message has reached no subscriber of the new one.
	 */
	@Test
	void whoStaysBehindTakesNoLockThatItWasNotGranted() throws Exception {
		TcpProxy early = this.registries.keep(TcpProxy.to(this.servers.master()));
		DefaultLockRegistry holder = open(connect(clients(), early, Replication.NONE), LEASE);
		DefaultLockRegistry registry = open(LEASE);
		for (int i = 0; i < 5; i++) {
			LockHandle held = holder.acquire(LockRequest.of("a"));
			CompletableFuture<LockHandle> waiting = queue(registry, "a");
			RedisServer next = this.servers.replicas().get(0);
			promote(next);
			early.redirect(next);
			this.proxy.redirectNew(next);
			held.close();
			LockHandle granted = waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			assertThat(isLocked("a")).as("held at the new master").isTrue();
			granted.extend(LEASE);
			granted.close();
		}
		assertThat(this.events.losses).isEmpty();
	}

	/** Commands have moved by themselves, as after a break of their connection. */
	@Test
	void subscriptionThatStaysBehindAloneIsOpenedAnew() throws Exception {
		DefaultLockRegistry registry = open(LEASE);
		LockHandle held = open(LEASE).acquire(LockRequest.of("a"));
		CompletableFuture<LockHandle> waiting = queue(registry, "a");
		RedisServer next = this.servers.replicas().get(0);
		promote(next);
		this.proxy.redirectNew(next);
		this.proxy.cutAllButSubscriptions();
		await().until(() -> subscriptions(next) == 1);
		held.close();
		waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
		assertThat(this.events.losses).isEmpty();
	}

	@Test
	void healthIsDownWhileNoServerTakesWrites() throws Exception {
		DefaultLockRegistry registry = open(LEASE);
		promote(this.servers.replicas().get(0));
		await().untilAsserted(() -> {
			LockMonitor.Health health = registry.health().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			assertThat(health.up()).isFalse();
			assertThat(String.valueOf(health.details().get("error"))).contains("read-only replica");
		});
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> registry.acquire(LockRequest.of("a")))
			.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.READ_ONLY));
		this.proxy.redirectNew(this.servers.master());
		await().until(() -> registry.health().get(PATIENCE.toSeconds(), TimeUnit.SECONDS).up());
		registry.acquire(LockRequest.of("a")).close();
	}

	/** It has lost its own master, and may not answer from what it knows. */
	@Test
	void replicaWithoutItsMasterIsLeftAsWell() throws Exception {
		DefaultLockRegistry registry = open(LEASE);
		RedisServer former = this.servers.master();
		RedisServer next = this.servers.replicas().get(0);
		this.servers.promote(next);
		former.cli("CONFIG", "SET", "replica-serve-stale-data", "no");
		former.cli("REPLICAOF", "127.0.0.1", "1");
		this.proxy.redirectNew(next);
		registry.acquire(LockRequest.of("a")).close();
		assertThat(this.events.failures).isEmpty();
	}

	@Test
	void acquiresThatWaitForReplicasMoveAsWell() throws Exception {
		DefaultLockRegistry registry = open(connect(clients(), this.proxy, new Replication(1, Duration.ofSeconds(4))),
				LEASE);
		for (int i = 0; i < 2; i++) {
			registry.acquire(LockRequest.of("a")).close();
			move();
		}
		registry.acquire(LockRequest.of("a")).close();
		assertThat(this.events.failures).isEmpty();
	}

	/** It has nothing to say of locks that it has not heard of. */
	@Test
	void replicaThatHasMissedALockIsNotBelieved() throws Exception {
		DefaultLockRegistry registry = open(SHORT_LEASE);
		RedisServer former = this.servers.master();
		LockHandle writing = registry.acquire(LockRequest.of("b").type(LockType.WRITE));
		LockHandle held = registry.acquire(LockRequest.of("a"));
		RedisServer next = this.servers.replicas().get(0);
		promote(next);
		former.cli("CONFIG", "SET", "replica-read-only", "no");
		former.cli("REPLICAOF", "127.0.0.1", "1");
		former.cli("DEL", "lock:{a}", "lock:{b}");
		former.cli("CONFIG", "SET", "replica-read-only", "yes");
		int before = this.events.failedRenewals.get();
		await().until(() -> this.events.failedRenewals.get() > before);
		assertThat(held.isValid()).isTrue();
		this.proxy.redirectNew(next);
		int then = this.events.renewals.get();
		await().until(() -> this.events.renewals.get() > then + 2);
		held.close();
		writing.close();
		assertThat(this.events.losses).isEmpty();
	}

	final InetSocketAddress masterAddress() {
		return new InetSocketAddress(this.servers.master().host(), this.servers.master().port());
	}

	final void followsAName(LockBackend backend) throws Exception {
		DefaultLockRegistry registry = open(backend, LEASE);
		move();
		registry.acquire(LockRequest.of("a")).close();
		assertThat(this.events.failures).isEmpty();
	}

	/** One holds, one waits, and one comes anew. */
	@Tag("stress")
	@Test
	void locksCanBeHadAgainSoonAfterEachMove() throws Exception {
		DefaultLockRegistry holder = open(LEASE);
		DefaultLockRegistry registry = open(LEASE);
		for (int i = 0; i < MOVES; i++) {
			Liveness.within(getClass().getSimpleName() + ": a lock had after the master moved", Duration.ofSeconds(2),
					() -> {
						LockHandle held = holder.acquire(LockRequest.of("held"));
						CompletableFuture<LockHandle> waiting = queue(registry, "held");
						move();
						long moved = System.nanoTime();
						await().pollInSameThread()
							.pollDelay(Duration.ZERO)
							.pollInterval(Duration.ofMillis(10))
							.ignoreExceptionsInstanceOf(LockBackendException.class)
							.until(() -> {
								registry.acquire(LockRequest.of("new")).close();
								return true;
							});
						held.close();
						waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
						Duration took = Duration.ofNanos(System.nanoTime() - moved);
						System.out.printf("[%s] locks had %d ms after the move%n", getClass().getSimpleName(),
								took.toMillis());
						return took;
					});
			StressSummary.FAULTS_SURVIVED.add(1);
		}
		assertThat(this.events.losses).isEmpty();
	}

	/** Move the master, while nobody writes. */
	private RedisServer move() {
		RedisServer former = this.servers.master();
		promote(this.servers.replicas().get(0));
		this.proxy.redirectNew(this.servers.master());
		return former;
	}

	/** Loses nothing, not even a release that was the last thing that happened. */
	private void promote(RedisServer next) {
		RedisServer former = this.servers.master();
		this.servers.awaitInSync();
		this.servers.promote(next);
		this.servers.demote(former);
	}

	private boolean isLocked(String name) {
		return this.servers.master().cli("EXISTS", "lock:{" + name + "}").equals(1L);
	}

	private static int subscriptions(RedisServer server) {
		return ((List<?>) server.cli("PUBSUB", "CHANNELS", "lock:wake:*")).size();
	}

	/** Wait for a lock, subscribed and known to the replica when this method returns. */
	private CompletableFuture<LockHandle> queue(DefaultLockRegistry registry, String name) {
		CompletableFuture<LockHandle> waiting = registry.acquireAsync(LockRequest.of(name).waitTime(PATIENCE));
		RedisServer replica = this.servers.replicas().get(0);
		await().until(() -> subscriptions(this.servers.master()) > 0
				&& replica.cli("ZCARD", "lock:{" + name + "}:waiters").equals(1L));
		return waiting;
	}

	final RedisClients clients() {
		return this.registries.keep(new RedisClients());
	}

	private DefaultLockRegistry open(Duration lease) throws Exception {
		return open(connect(clients(), this.proxy, Replication.NONE), lease);
	}

	/** Connect by the client library of this class. */
	abstract LockBackend connect(RedisClients clients, TcpProxy proxy, Replication replication);

	/** Open an instance with as many connections as it ever needs. */
	private DefaultLockRegistry open(LockBackend backend, Duration lease) throws Exception {
		DefaultLockRegistry registry = this.registries.open(backend, lease, this.events);
		Registries.warmUp(registry);
		List<CompletableFuture<LockHandle>> all = IntStream.range(0, 16)
			.mapToObj((i) -> registry.acquireAsync(LockRequest.of("lock-" + System.nanoTime() + "-" + i)))
			.toList();
		for (CompletableFuture<LockHandle> each : all) {
			each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
		}
		return registry;
	}

}
