package io.lockstarter.faults;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.redis.replication.Replication;
import io.lockstarter.testing.RedisCluster;
import io.lockstarter.testing.RedisServer;
import io.lockstarter.testing.RespClient;
import io.lockstarter.testing.SlotMigrationLoop;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Locks in a cluster whose nodes are busy, or hand slots to one another. All tests share
 * it, and leave it as it was.
 */
@ExtendWith(StressRun.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterFaultTests {

	private static final Duration LEASE = Duration.ofSeconds(6);

	private static RedisCluster cluster;

	private final Events events = new Events();

	private final Registries registries = new Registries();

	@BeforeAll
	static void start() {
		cluster = RedisCluster.start();
	}

	@AfterAll
	static void stop() {
		cluster.close();
	}

	@AfterEach
	void close() throws Exception {
		this.registries.close();
	}

	/** Busy, it answers the other nodes, so that they do not replace it. */
	@ParameterizedTest
	@EnumSource
	void busyMasterHarmsNoLockOfTheOthersInAnInstanceThatStarts(ClusterClient client) {
		RedisServer master = cluster.ownerOf(key("busy"));
		List<String> others = IntStream.range(0, 20)
			.mapToObj((i) -> "other-" + i)
			.filter((name) -> cluster.ownerOf(key(name)) != master)
			.toList();
		try (RespClient busy = administrator(master); RespClient watching = administrator(master)) {
			busy.call("CONFIG", "SET", "lua-time-limit", "100");
			busy.send("EVAL", "while true do end", "0");
			await().until(() -> isBusy(watching));
			RedisClients clients = this.registries.keep(new RedisClients());
			DefaultLockRegistry registry = this.registries.open(client.connect(clients, cluster), LEASE, this.events);
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
	void healthIsDownWhileAnyMasterIsFull(ClusterClient client) {
		RedisClients clients = this.registries.keep(new RedisClients());
		DefaultLockRegistry registry = this.registries.open(client.connect(clients, cluster), LEASE, this.events);
		await().until(() -> registry.health().join().up());
		for (String name : List.of("full-0", "full-1", "full-2", "full-3")) {
			try (RespClient full = administrator(cluster.ownerOf(key(name)))) {
				full.call("CONFIG", "SET", "maxmemory", "1");
				assertThat(registry.health().join().up()).as(name).isFalse();
				full.call("CONFIG", "SET", "maxmemory", "0");
			}
		}
		assertThat(registry.health().join().up()).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void movingSlotsAreNotNoticed(ClusterClient client) throws Exception {
		moveSlots(client, 6, 100);
	}

	@Tag("stress")
	@ParameterizedTest
	@EnumSource
	void slotsThatMoveForLongAreNotNoticed(ClusterClient client) throws Exception {
		moveSlots(client, 300, 1000);
	}

	private void moveSlots(ClusterClient client, int moves, int grants) throws Exception {
		List<DefaultLockRegistry> instances = List.of(open(client), open(client));
		try (Workload work = new Workload(8, List.of("moving"), instances);
				SlotMigrationLoop migration = cluster.migrateInLoop(key("moving"))) {
			await().atMost(Duration.ofSeconds(60))
				.until(() -> migration.moves() >= moves && work.grants.get() > grants);
			report("%s: %d grants, %d moves", client, work.grants.get(), migration.moves());
			assertThat(work.refusals).isEmpty();
			assertThat(work.losses).hasValue(0);
		}
		assertThat(this.events.losses).isEmpty();
	}

	@Test
	void waitsForReplicasOfTheMasterThatHasTheSlot() throws Exception {
		RedisClients clients = this.registries.keep(new RedisClients());
		DefaultLockRegistry registry = this.registries
			.open(clients.connect(ClusterClient.addresses(cluster), new Replication(1, Duration.ofMillis(300))), LEASE);
		List<String> names = IntStream.range(0, 12).mapToObj((i) -> "replicated-" + i).toList();
		for (String name : names) {
			registry.acquire(LockRequest.of(name)).close();
		}
		RedisServer master = cluster.ownerOf(key("replicated-0"));
		cluster.migration(key("replicated-0"), cluster.ownerOf(key(onAnother(master, names)))).complete();
		RedisServer owner = cluster.ownerOf(key("replicated-0"));
		registry.acquire(LockRequest.of("replicated-0")).close();
		RedisServer replica = cluster.replicaOf(owner);
		replica.kill();
		try {
			assertThatExceptionOfType(LockBackendException.class)
				.isThrownBy(() -> registry.acquire(LockRequest.of("replicated-0")))
				.satisfies((failure) -> assertThat(failure.reason()).isEqualTo(Reason.NOT_REPLICATED));
			registry.acquire(LockRequest.of(onAnother(owner, names))).close();
		}
		finally {
			replica.restart();
		}
	}

	private String onAnother(RedisServer master, List<String> names) {
		return names.stream().filter((name) -> cluster.ownerOf(key(name)) != master).findFirst().orElseThrow();
	}

	private static LockHandle acquire(DefaultLockRegistry registry, String name) {
		try {
			return registry.acquire(LockRequest.of(name));
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private DefaultLockRegistry open(ClusterClient client) {
		RedisClients clients = this.registries.keep(new RedisClients());
		DefaultLockRegistry registry = this.registries.open(client.connect(clients, cluster), LEASE, this.events);
		Registries.warmUp(registry);
		return registry;
	}

	private static String key(String name) {
		return "lock:{" + name + "}";
	}

	private static void report(String format, Object... arguments) {
		System.out.printf("[ClusterFaultTests] %s%n", format.formatted(arguments));
	}

}
