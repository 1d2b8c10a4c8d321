package io.lockstarter.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lettuce.core.ClientOptions;
import io.lockstarter.contract.Actor;
import io.lockstarter.contract.Events;
import io.lockstarter.contract.Settings;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.replication.Replication;
import io.lockstarter.testing.RedisReplication;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.TcpProxy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Locks that replicas must have acknowledged.
 */
class ReplicationTests {

	private static final Duration LEASE = Duration.ofSeconds(36);

	private final RedisReplication redis = RedisReplication.start(1);

	private final RedisClients clients = new RedisClients();

	@AfterEach
	void close() throws Exception {
		this.clients.close();
		this.redis.close();
	}

	@ParameterizedTest
	@EnumSource
	void grantsWhatReplicasHave(Client client) throws Exception {
		try (DefaultLockRegistry registry = open(client, 1)) {
			try (LockHandle lock = registry.acquire(LockRequest.of("there"))) {
				assertThat(lock.isValid()).isTrue();
				assertThat(this.redis.replicas().get(0).cli("EXISTS", "lock:{there}")).isEqualTo(1L);
			}
			assertThat(this.redis.master().cli("EXISTS", "lock:{there}")).isEqualTo(0L);
		}
	}

	@ParameterizedTest
	@EnumSource
	void givesUpWhatReplicasLack(Client client) {
		try (DefaultLockRegistry registry = open(client, 1)) {
			registry.get("warm").lock();
			this.redis.freeze(this.redis.replicas().get(0));
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> registry.acquire(LockRequest.of("missing")))
				.withMessageContainingAll("missing", "0 of the 1", "min-replicas")
				.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.NOT_REPLICATED));
			await().untilAsserted(() -> assertThat(this.redis.master().cli("EXISTS", "lock:{missing}")).isEqualTo(0L));
			this.redis.replicas().get(0).resume();
			await().ignoreExceptions().untilAsserted(() -> registry.acquire(LockRequest.of("missing")).close());
		}
	}

	@ParameterizedTest
	@EnumSource
	void grantsPermitsThatReplicasHaveAndGivesUpThoseThatTheyLack(Client client) throws Exception {
		LockRequest two = LockRequest.of("permits").permits(2);
		try (DefaultLockRegistry registry = open(client, 1)) {
			LockHandle first = registry.acquire(two.owner(LockOwner.create("first")));
			assertThat(this.redis.replicas().get(0).cli("EXISTS", "lock:{permits}")).isEqualTo(1L);
			this.redis.freeze(this.redis.replicas().get(0));
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> registry.acquire(two.owner(LockOwner.create("second"))))
				.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.NOT_REPLICATED));
			assertThat(first.isValid()).isTrue();
			this.redis.replicas().get(0).resume();
			List<LockHandle> second = new ArrayList<>();
			await().ignoreExceptions().until(() -> second.add(registry.acquire(two.owner(LockOwner.create("second")))));
			assertThat(registry.tryAcquire(two.owner(LockOwner.create("third")).waitTime(Duration.ZERO))).isEmpty();
			first.close();
			second.forEach(LockHandle::close);
			assertThat(this.redis.master().cli("EXISTS", "lock:{permits}")).isEqualTo(0L);
		}
	}

	/** The lock has been granted by then. */
	@ParameterizedTest
	@EnumSource
	void lockIsFreeAgainIfWaitIsRefused(Client client) throws Exception {
		try (DefaultLockRegistry registry = open(client, 1)) {
			registry.acquire(LockRequest.of("warm")).close();
			this.redis.master().cli("ACL", "SETUSER", "default", "-wait");
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> registry.acquire(LockRequest.of("refused").leaseTime(Duration.ofMinutes(1))))
				.withMessageContaining("NOPERM");
			await().until(() -> this.redis.master().cli("EXISTS", "lock:{refused}"), Long.valueOf(0)::equals);
		}
		finally {
			this.redis.master().cli("ACL", "SETUSER", "default", "+wait");
		}
	}

	/** One after the other they would take longer than a command may. */
	@ParameterizedTest
	@EnumSource
	void failsManyRequestsTogether(Client client) {
		try (DefaultLockRegistry registry = open(client, 1)) {
			registry.get("warm").lock();
			this.redis.freeze(this.redis.replicas().get(0));
			List<CompletableFuture<LockHandle>> requests = IntStream.range(0, 50)
				.mapToObj((i) -> registry.acquireAsync(LockRequest.of("missing-" + i)).toCompletableFuture())
				.toList();
			assertThat(requests).allSatisfy((request) -> assertThat(request).failsWithin(Actor.PATIENCE)
				.withThrowableThat()
				.havingCause()
				.isInstanceOfSatisfying(LockBackendException.class,
						(failure) -> assertThat(failure.reason()).isEqualTo(Reason.NOT_REPLICATED)));
		}
	}

	@ParameterizedTest
	@EnumSource
	void renewsAndReleasesWhileAReplicaHangs(Client client) throws Exception {
		renewsAndReleases(client, 2);
	}

	@ParameterizedTest
	@EnumSource
	@Tag("stress")
	void renewsAndReleasesWhileAReplicaHangsForLong(Client client) throws Exception {
		renewsAndReleases(client, 12);
	}

	private void renewsAndReleases(Client client, int rounds) throws InterruptedException {
		Events events = new Events();
		Duration lease = Duration.ofSeconds(3);
		try (DefaultLockRegistry registry = new DefaultLockRegistry(client.connect(this, 1),
				Settings.of("instance", Duration.ofSeconds(10), lease), List.of(events))) {
			List<LockHandle> held = IntStream.range(0, 20).mapToObj((i) -> acquire(registry, "held-" + i)).toList();
			this.redis.freeze(this.redis.replicas().get(0));
			int before = events.renewals.get();
			// Each has a name of its own: one that had to wait for its predecessor's end
			// would go on to the end of its
			// wait time
			for (int i = 0; events.losses.isEmpty() && events.renewals.get() < before + rounds * held.size(); i++) {
				LockRequest other = LockRequest.of("other-" + i);
				assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> registry.acquire(other));
			}
			assertThat(events.losses).isEmpty();
			assertThat(held).allMatch(LockHandle::isValid);
			long waited = this.redis.master().commandCalls("wait");
			held.forEach(LockHandle::close);
			assertThat(this.redis.master().commandCalls("wait")).as("waits for the replica").isEqualTo(waited);
		}
	}

	/** Lettuce repeats the WAIT alone, and the replica that hangs counts for it. */
	@Test
	void countsReplicasOnlyForWhatWasSentOnTheSameConnection() {
		RedisServer replica = this.redis.replicas().get(0);
		try (TcpProxy proxy = TcpProxy.to(this.redis.master());
				DefaultLockRegistry registry = new DefaultLockRegistry(
						this.clients.connect(new RedisStandaloneConfiguration(proxy.host(), proxy.port()),
								new Replication(1, Duration.ofMillis(300))),
						Settings.of("instance", Duration.ofSeconds(10), LEASE), List.of())) {
			registry.get("warm").lock();
			replica.stop();
			CompletableFuture<Void> struck = proxy.dropReplyTo("WAIT");
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> registry.acquire(LockRequest.of("missing")))
				.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.NOT_REPLICATED));
			assertThat(struck).isDone();
		}
		finally {
			replica.resume();
		}
	}

	/** Only the connection that waits for replicas is broken. */
	@Test
	void waitsOnANewConnectionWhereLettuceDoesNotReconnect() throws Exception {
		RedisServer master = this.redis.master();
		try (DefaultLockRegistry registry = new DefaultLockRegistry(
				this.clients.connect(new RedisStandaloneConfiguration(master.host(), master.port()),
						LettuceClientConfiguration.builder()
							.clientOptions(ClientOptions.builder().autoReconnect(false).build())
							.build(),
						new Replication(1, Duration.ofMillis(1500))),
				Settings.of("instance", Duration.ofSeconds(10), LEASE), List.of())) {
			registry.acquire(LockRequest.of("a")).close();
			String waiting = master.cli("CLIENT", "LIST")
				.toString()
				.lines()
				.filter((client) -> client.contains(" cmd=wait "))
				.collect(Collectors.joining());
			assertThat(master.cli("CLIENT", "KILL", "ID", waiting.replaceAll("^id=(\\d+) .*$", "$1"))).isEqualTo(1L);
			registry.acquire(LockRequest.of("a")).close();
		}
	}

	@ParameterizedTest
	@EnumSource
	void leaseThatCouldExpireWhileReplicasAreWaitedForIsRefused(Client client) {
		try (DefaultLockRegistry registry = open(client, 1)) {
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> registry.acquire(LockRequest.of("short").leaseTime(Duration.ofMillis(300))))
				.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.NOT_SUPPORTED))
				.withMessageContaining("'short'")
				.withMessageContaining("distributed-lock.replication.timeout")
				.withMessageContaining("request a longer lease");
		}
	}

	@Test
	void grantsNothingByAMessage() {
		RedisServer master = this.redis.master();
		RedisStandaloneConfiguration address = new RedisStandaloneConfiguration(master.host(), master.port());
		LockBackend one = this.clients.connect(address, new Replication(1, Duration.ofMillis(500)));
		LockBackend two = this.clients.connect(address, new Replication(1, Duration.ofMillis(500)));
		TenureId held = new TenureId(one.clientId(), 1);
		one.acquire(acquire(held, null)).join();
		await().until(two::isSubscribed);
		LockBackend.Waiting waiting = new LockBackend.Waiting(OptionalLong.empty(), Duration.ZERO, true);
		assertThat(two.acquire(acquire(new TenureId(two.clientId(), 1), waiting)).join())
			.isInstanceOf(LockBackend.Refused.class);
		one.release(new LockBackend.Release("offered", held, Intent.LEAVE, null)).join();
		assertThat(master.cli("EXISTS", "lock:{offered}")).isEqualTo(0L);
	}

	private static LockBackend.Acquire acquire(TenureId tenure, LockBackend.@Nullable Waiting waiting) {
		return new LockBackend.Acquire("offered", tenure, LockType.REENTRANT, "holder", LEASE, waiting);
	}

	private static LockHandle acquire(DefaultLockRegistry registry, String name) {
		try {
			return registry.acquire(LockRequest.of(name));
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private DefaultLockRegistry open(Client client, int replicas) {
		return new DefaultLockRegistry(client.connect(this, replicas),
				Settings.of("instance", Duration.ofSeconds(10), LEASE), List.of());
	}

	/**
	 * The client libraries.
	 */
	enum Client {

		LETTUCE, JEDIS;

		LockBackend connect(ReplicationTests test, int replicas) {
			RedisServer master = test.redis.master();
			RedisStandaloneConfiguration address = new RedisStandaloneConfiguration(master.host(), master.port());
			Replication replication = new Replication(replicas, Duration.ofMillis(300));
			return (this == LETTUCE) ? test.clients.connect(address, replication)
					: test.clients.connect(new JedisConnectionFactory(address), replication);
		}

	}

}
