package io.lockstarter.faults;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.lettuce.core.SocketOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.testing.Liveness;
import io.lockstarter.testing.RedisCluster;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Locks in a cluster whose masters hang or die.
 */
@Tag("stress")
@ExtendWith(StressRun.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterFailoverTests {

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
	void hungMasterHarmsNoLockOfTheOthers(ClusterClient client) {
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

	@ParameterizedTest
	@EnumSource
	void goesOnWithTheNewMaster(ClusterClient client) throws Exception {
		DefaultLockRegistry registry = open(client);
		List<String> names = IntStream.range(0, 8).mapToObj((i) -> "work-" + i).toList();
		try (Workload work = new Workload(8, names, List.of(registry, open(client)))) {
			await().until(() -> work.grants.get() > 100);
			Liveness.within(client + ": all locks granted after a failover", client.followsWithin, () -> {
				RedisServer master = this.cluster.ownerOf(key("work-0"));
				master.kill();
				this.cluster.awaitFailover(key("work-0"), master);
				Duration took = untilAllAreGranted(work);
				master.restart();
				awaitReplica(master);
				return took;
			});
			report("%s: %d requests refused, %d holds lost", client, work.refusals.size(), work.losses.get());
			assertThat(work.refusals).allMatch(LockBackendException.class::isInstance);
		}
	}

	/** With the timeouts that the documentation asks for. */
	@Test
	void followsTheFailoverOfAHungMaster() throws Exception {
		RedisClients clients = this.registries.keep(new RedisClients());
		DefaultLockRegistry registry = this.registries.open(clients.connect(ClusterClient.addresses(this.cluster),
				LettuceClientConfiguration.builder()
					.commandTimeout(Duration.ofSeconds(1))
					.clientOptions(ClusterClientOptions.builder()
						.socketOptions(SocketOptions.builder().connectTimeout(Duration.ofSeconds(1)).build())
						.build())
					.build()),
				LEASE, this.events);
		Registries.warmUp(registry);
		try (Workload work = new Workload(4, List.of("work"), List.of(registry))) {
			await().until(() -> work.grants.get() > 100);
			Liveness.within("lock granted after a hung master was replaced", Duration.ofSeconds(8), () -> {
				RedisServer hung = this.cluster.ownerOf(key("work"));
				hung.stop();
				this.cluster.awaitFailover(key("work"), hung);
				Duration took = untilAllAreGranted(work);
				hung.resume();
				awaitReplica(hung);
				return took;
			});
		}
	}

	private static Duration untilAllAreGranted(Workload work) {
		long start = System.nanoTime();
		await().pollInterval(Duration.ofMillis(5)).until(() -> work.allGrantedSince(start));
		return Duration.ofNanos(System.nanoTime() - start);
	}

	/** Wait until a former master follows the one that took over. */
	private static void awaitReplica(RedisServer former) {
		await().until(() -> former.info("role").equals("slave") && former.info("master_link_status").equals("up"));
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
		DefaultLockRegistry registry = this.registries.open(client.connect(clients, this.cluster), LEASE, this.events);
		Registries.warmUp(registry);
		return registry;
	}

	private static String key(String name) {
		return "lock:{" + name + "}";
	}

	private static void report(String format, Object... arguments) {
		System.out.printf("[ClusterFailoverTests] %s%n", format.formatted(arguments));
	}

}
