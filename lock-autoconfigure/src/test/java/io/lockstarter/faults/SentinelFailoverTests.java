package io.lockstarter.faults;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.redis.replication.Replication;
import io.lockstarter.testing.Liveness;
import io.lockstarter.testing.RedisSentinels;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Locks on a master that Sentinels replace.
 */
@ExtendWith(StressRun.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SentinelFailoverTests {

	private static final Duration LEASE = Duration.ofSeconds(6);

	private final RedisSentinels sentinels = RedisSentinels.start();

	private final Events events = new Events();

	private final Registries registries = new Registries();

	@AfterEach
	void close() throws Exception {
		this.registries.close();
		this.sentinels.close();
	}

	@Test
	void goesOnAfterAFailover() throws Exception {
		List<String> names = IntStream.range(0, 4).mapToObj((i) -> "work-" + i).toList();
		try (Workload work = new Workload(8, names, List.of(open(Client.LETTUCE)))) {
			await().until(() -> work.grants.get() > 20);
			this.sentinels.killMaster();
			this.sentinels.awaitFailover();
			long failedOver = System.nanoTime();
			await().until(() -> work.allGrantedSince(failedOver));
		}
	}

	@Tag("stress")
	@ParameterizedTest
	@EnumSource
	void goesOnWithTheNewMaster(Client client) throws Exception {
		List<String> names = IntStream.range(0, 8).mapToObj((i) -> "work-" + i).toList();
		try (Workload work = new Workload(16, names, List.of(open(client), open(client)))) {
			await().until(() -> work.grants.get() > 100);
			Liveness.within(client + ": all locks granted after a failover", Duration.ofSeconds(2), () -> {
				RedisServer before = this.sentinels.killMaster();
				this.sentinels.awaitFailover();
				Duration took = untilAllAreGranted(work);
				before.restart();
				await().ignoreException(UncheckedIOException.class).until(() -> before.info("role").equals("slave"));
				return took;
			});
			Liveness.within(client + ": all locks granted when the old master is back", Duration.ofSeconds(2),
					() -> untilAllAreGranted(work));
			report("%s: %d requests refused, %d holds lost", client, work.refusals.size(), work.losses.get());
		}
	}

	@Tag("stress")
	@ParameterizedTest
	@EnumSource
	void leavesAHungMaster(Client client) throws Exception {
		List<String> names = IntStream.range(0, 8).mapToObj((i) -> "work-" + i).toList();
		try (Workload work = new Workload(16, names, List.of(open(client), open(client)))) {
			await().until(() -> work.grants.get() > 100);
			Liveness.within(client + ": all locks granted after a hung master was replaced", Duration.ofSeconds(8),
					() -> {
						RedisServer hung = this.sentinels.currentMaster();
						hung.stop();
						this.sentinels.awaitFailover();
						long failedOver = System.nanoTime();
						Duration took = untilAllAreGranted(work);
						// Who has not left it yet would be granted locks by it when it
						// goes
						// on
						await().until(() -> work.allAtWorkSince(failedOver));
						hung.resume();
						// Sentinel ends the connections of clients when it changes the
						// role.
						await().ignoreException(UncheckedIOException.class)
							.until(() -> hung.info("role").equals("slave"));
						return took;
					});
			report("%s: %d requests refused, %d holds lost", client, work.refusals.size(), work.losses.get());
		}
	}

	private static Duration untilAllAreGranted(Workload work) {
		long start = System.nanoTime();
		await().pollInterval(Duration.ofMillis(5)).until(() -> work.allGrantedSince(start));
		return Duration.ofNanos(System.nanoTime() - start);
	}

	@Tag("stress")
	@Test
	void lockThatAllReplicasHaveSurvivesTheFailover() throws Exception {
		DefaultLockRegistry other = open(Client.LETTUCE);
		RedisClients clients = this.registries.keep(new RedisClients());
		DefaultLockRegistry registry = this.registries.open(
				clients.connect(addresses(this.sentinels), new Replication(2, Duration.ofMillis(300))), LEASE,
				this.events);
		LockHandle kept = registry.acquire(LockRequest.of("kept"));
		this.sentinels.killMaster();
		RedisServer master = this.sentinels.awaitFailover();
		assertThat(master.cli("EXISTS", "lock:{kept}")).isEqualTo(1L);
		await().ignoreExceptions()
			.untilAsserted(() -> assertThat(other.get("kept").tryLock(0, TimeUnit.SECONDS)).isFalse());
		assertThat(kept.isValid()).isTrue();
		await().until(() -> this.events.renewals.get() > 0);
		kept.close();
		assertThat(this.events.losses).isEmpty();
		assertThatExceptionOfType(LockBackendException.class).as("one of two replicas is left")
			.isThrownBy(() -> registry.acquire(LockRequest.of("kept")))
			.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.NOT_REPLICATED));
	}

	@Tag("stress")
	@ParameterizedTest
	@EnumSource
	void lossOfALockThatNoReplicaHadIsTold(Client client) throws Exception {
		DefaultLockRegistry registry = open(client);
		List<RedisServer> replicas = this.sentinels.replicas();
		replicas.forEach(this.sentinels::freeze);
		LockHandle unreplicated = registry.acquire(LockRequest.of("unreplicated"));
		this.sentinels.killMaster();
		replicas.forEach(RedisServer::resume);
		this.sentinels.awaitFailover();
		assertThat(this.events.loss().name()).isEqualTo("unreplicated");
		assertThat(unreplicated.isValid()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(unreplicated::close);
	}

	private DefaultLockRegistry open(Client client) {
		RedisClients clients = this.registries.keep(new RedisClients());
		DefaultLockRegistry registry = this.registries.open(client.connect(clients, this.sentinels), LEASE,
				this.events);
		Registries.warmUp(registry);
		return registry;
	}

	private static RedisSentinelConfiguration addresses(RedisSentinels sentinels) {
		return new RedisSentinelConfiguration(sentinels.masterName(), Set.copyOf(sentinels.addresses()));
	}

	private static void report(String format, Object... arguments) {
		System.out.printf("[SentinelFailoverTests] %s%n", format.formatted(arguments));
	}

	/**
	 * The client libraries.
	 */
	enum Client {

		LETTUCE, JEDIS;

		LockBackend connect(RedisClients clients, RedisSentinels sentinels) {
			return switch (this) {
				case LETTUCE -> clients.connect(addresses(sentinels));
				case JEDIS -> clients.connect(new JedisConnectionFactory(addresses(sentinels)));
			};
		}

	}

}
