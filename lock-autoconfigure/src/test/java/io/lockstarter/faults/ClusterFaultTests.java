package io.lockstarter.faults;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lettuce.core.SocketOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.redis.Replication;
import io.lockstarter.testing.RedisCluster;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.RespClient;
import io.lockstarter.testing.SlotMigrationLoop;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Locks in a cluster whose nodes hang or die, or hand slots to one another.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterFaultTests {

	private static final Duration LEASE = Duration.ofSeconds(6);

	private final RedisCluster cluster = RedisCluster.start();

	private final Events events = new Events();

	private final Registries registries = new Registries();

	@AfterEach
	void close() throws Exception {
		this.cluster.nodes().stream().filter(RedisServer::isAlive).forEach(RedisServer::resume);
		this.registries.close();
		this.cluster.close();
	}

	/** Redisson loses all its locks here. */
	@ParameterizedTest
	@EnumSource
	void hungMasterHarmsNoLockOfTheOthers(Client client) {
		DefaultLockRegistry registry = open(client);
		Map<RedisServer, List<LockHandle>> held = IntStream.range(0, 60)
			.mapToObj((i) -> acquire(registry, "held-" + i))
			.collect(Collectors.groupingBy((handle) -> this.cluster.ownerOf(key(handle.name()))));
		assertThat(held).hasSize(3);
		RedisServer hung = held.keySet().iterator().next();
		hung.stop();
		long end = System.nanoTime() + 3 * LEASE.toNanos();
		await().atMost(LEASE.multipliedBy(4)).until(() -> System.nanoTime() - end > 0);
		List<LockHandle> lost = held.remove(hung);
		held.values().forEach((handles) -> assertThat(handles).allMatch(LockHandle::isValid));
		assertThat(this.events.losses)
			.allSatisfy((loss) -> assertThat(lost).extracting(LockHandle::name).contains(loss.name()));
		report("%s: %d of the %d locks of the hung master were lost", client, this.events.losses.size(), lost.size());
		held.values().forEach((handles) -> handles.forEach(LockHandle::close));
	}

	/** Busy, it answers the other nodes, so that they do not replace it. */
	@ParameterizedTest
	@EnumSource
	void busyMasterHarmsNoLockOfTheOthersInAnInstanceThatStarts(Client client) {
		RedisServer master = this.cluster.ownerOf(key("busy"));
		List<String> others = IntStream.range(0, 20)
			.mapToObj((i) -> "other-" + i)
			.filter((name) -> this.cluster.ownerOf(key(name)) != master)
			.toList();
		try (RespClient busy = administrator(master); RespClient watching = administrator(master)) {
			busy.call("CONFIG", "SET", "lua-time-limit", "100");
			busy.send("EVAL", "while true do end", "0");
			await().until(() -> isBusy(watching));
			RedisClients clients = this.registries.keep(new RedisClients());
			DefaultLockRegistry registry = this.registries.open(client.connect(clients, this.cluster), LEASE,
					this.events);
			assertThat(others).isNotEmpty().allSatisfy((name) -> acquire(registry, name).close());
			assertThat(isBusy(watching)).isTrue();
			watching.call("SCRIPT", "KILL");
		}
	}

	private static RespClient administrator(RedisServer server) {
		return server.connect(Duration.ofSeconds(5));
	}

	private static boolean isBusy(RespClient client) {
		try {
			client.call("PING");
			return false;
		}
		catch (RespClient.ErrorReply ex) {
			return ex.getMessage().startsWith("BUSY");
		}
	}

	@ParameterizedTest
	@EnumSource
	void goesOnWithTheNewMaster(Client client) throws Exception {
		DefaultLockRegistry registry = open(client);
		List<String> names = IntStream.range(0, 8).mapToObj((i) -> "work-" + i).toList();
		RedisServer master = this.cluster.ownerOf(key("work-0"));
		try (Workload work = new Workload(8, names, List.of(registry, open(client)))) {
			await().until(() -> work.grants.get() > 100);
			long killed = System.nanoTime();
			master.kill();
			this.cluster.awaitFailover(key("work-0"), master);
			long failedOver = System.nanoTime();
			await().atMost(client.followsWithin)
				.pollInterval(Duration.ofMillis(5))
				.until(() -> work.allGrantedSince(failedOver));
			report("%s: failover after %d ms, all locks granted %d ms later; %d requests refused, %d holds lost",
					client, (failedOver - killed) / 1_000_000, (System.nanoTime() - failedOver) / 1_000_000,
					work.refusals.size(), work.losses.get());
			assertThat(work.refusals).allMatch(LockBackendException.class::isInstance);
		}
	}

	@ParameterizedTest
	@EnumSource
	void movingSlotsAreNotNoticed(Client client) throws Exception {
		List<DefaultLockRegistry> instances = List.of(open(client), open(client));
		try (Workload work = new Workload(8, List.of("moving"), instances);
				SlotMigrationLoop migration = this.cluster.migrateInLoop(key("moving"))) {
			await().atMost(Duration.ofSeconds(60)).until(() -> migration.moves() >= 30 && work.grants.get() > 1000);
			report("%s: %d grants, %d moves", client, work.grants.get(), migration.moves());
			assertThat(work.refusals).isEmpty();
			assertThat(work.losses).hasValue(0);
		}
		assertThat(this.events.losses).isEmpty();
	}

	/** With the timeouts that the documentation asks for. */
	@Test
	void followsTheFailoverOfAHungMaster() throws Exception {
		RedisClients clients = this.registries.keep(new RedisClients());
		DefaultLockRegistry registry = this.registries.open(clients.connect(addresses(this.cluster),
				LettuceClientConfiguration.builder()
					.commandTimeout(Duration.ofSeconds(1))
					.clientOptions(ClusterClientOptions.builder()
						.socketOptions(SocketOptions.builder().connectTimeout(Duration.ofSeconds(1)).build())
						.build())
					.build()),
				LEASE, this.events);
		Registries.warmUp(registry);
		RedisServer hung = this.cluster.ownerOf(key("work"));
		try (Workload work = new Workload(4, List.of("work"), List.of(registry))) {
			await().until(() -> work.grants.get() > 100);
			hung.stop();
			this.cluster.awaitFailover(key("work"), hung);
			long failedOver = System.nanoTime();
			await().atMost(Duration.ofSeconds(8))
				.pollInterval(Duration.ofMillis(5))
				.until(() -> work.allGrantedSince(failedOver));
			report("granted %d ms after a hung master was replaced", (System.nanoTime() - failedOver) / 1_000_000);
		}
	}

	@Test
	void waitsForReplicasOfTheMasterThatHasTheSlot() throws Exception {
		RedisClients clients = this.registries.keep(new RedisClients());
		DefaultLockRegistry registry = this.registries
			.open(clients.connect(addresses(this.cluster), new Replication(1, Duration.ofMillis(300))), LEASE);
		List<String> names = IntStream.range(0, 12).mapToObj((i) -> "replicated-" + i).toList();
		for (String name : names) {
			registry.acquire(LockRequest.of(name)).close();
		}
		RedisServer master = this.cluster.ownerOf(key("replicated-0"));
		this.cluster.migration(key("replicated-0"), this.cluster.ownerOf(key(onAnother(master, names)))).complete();
		RedisServer owner = this.cluster.ownerOf(key("replicated-0"));
		registry.acquire(LockRequest.of("replicated-0")).close();
		RedisServer replica = this.cluster.replicaOf(owner);
		replica.kill();
		assertThatExceptionOfType(LockBackendException.class)
			.isThrownBy(() -> registry.acquire(LockRequest.of("replicated-0")))
			.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.NOT_REPLICATED));
		registry.acquire(LockRequest.of(onAnother(owner, names))).close();
	}

	private String onAnother(RedisServer master, List<String> names) {
		return names.stream().filter((name) -> this.cluster.ownerOf(key(name)) != master).findFirst().orElseThrow();
	}

	private static LockHandle acquire(DefaultLockRegistry registry, String name) {
		try {
			return registry.acquire(LockRequest.of(name));
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private DefaultLockRegistry open(Client client) {
		RedisClients clients = this.registries.keep(new RedisClients());
		DefaultLockRegistry registry = this.registries.open(client.connect(clients, this.cluster), LEASE, this.events);
		Registries.warmUp(registry);
		return registry;
	}

	private static RedisClusterConfiguration addresses(RedisCluster cluster) {
		return new RedisClusterConfiguration(cluster.addresses());
	}

	private static String key(String name) {
		return "lock:{" + name + "}";
	}

	private static void report(String format, Object... arguments) {
		System.out.printf("[ClusterFaultTests] %s%n", format.formatted(arguments));
	}

	/**
	 * The client libraries.
	 */
	enum Client {

		LETTUCE(Duration.ofSeconds(3)),
		/** Pauses between its own attempts. */
		JEDIS(Duration.ofSeconds(10));

		private final Duration followsWithin;

		Client(Duration followsWithin) {
			this.followsWithin = followsWithin;
		}

		LockBackend connect(RedisClients clients, RedisCluster cluster) {
			return (this == LETTUCE) ? clients.connect(addresses(cluster))
					: clients.connect(new JedisConnectionFactory(addresses(cluster)));
		}

	}

}
