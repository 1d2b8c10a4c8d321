package io.lockstarter.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.testing.RedisCluster;
import io.lockstarter.testing.RedisSentinels;
import io.lockstarter.testing.RedisServer;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An application that uses all connections of its Jedis pool for longer than a lease.
 * Locks have connections of their own.
 */
class ExhaustedPoolTests extends RedisOfItsOwn {

	private static final int CONNECTIONS = 2;

	private static final Duration LEASE = Duration.ofSeconds(2);

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void locksAreNotAffected(boolean unified) throws Exception {
		// Its users may do more than the published rules allow
		RedisServer server = this.registries.keep(RedisServer.start());
		assertNotAffected(
				new JedisConnectionFactory(new RedisStandaloneConfiguration(server.host(), server.port()), client()),
				unified, List.of(server));
	}

	@Tag("stress")
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void locksAreNotAffectedInACluster(boolean unified) throws Exception {
		RedisCluster cluster = this.registries.keep(RedisCluster.start());
		assertNotAffected(new JedisConnectionFactory(new RedisClusterConfiguration(cluster.addresses()), client()),
				unified, cluster.masters());
	}

	@Tag("stress")
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void locksAreNotAffectedWithSentinel(boolean unified) throws Exception {
		RedisSentinels sentinels = this.registries.keep(RedisSentinels.start());
		assertNotAffected(new JedisConnectionFactory(
				new RedisSentinelConfiguration(sentinels.masterName(), Set.copyOf(sentinels.addresses())), client()),
				unified, List.of(sentinels.currentMaster()));
	}

	private static JedisClientConfiguration client() {
		GenericObjectPoolConfig<Jedis> pool = new GenericObjectPoolConfig<>();
		pool.setMaxTotal(CONNECTIONS);
		return JedisClientConfiguration.builder()
			.readTimeout(Duration.ofSeconds(60))
			.usePooling()
			.poolConfig(pool)
			.build();
	}

	private void assertNotAffected(JedisConnectionFactory factory, boolean unified, List<RedisServer> servers)
			throws Exception {
		factory.setUseUnifiedJedis(unified);
		RedisClients clients = this.registries.keep(new RedisClients());
		DefaultLockRegistry registry = this.registries.open(clients.connect(factory), LEASE, this.events);
		Registries.warmUp(registry);
		LockHandle held = registry.acquire(LockRequest.of("held"));
		List<Future<?>> users = useAllConnections(factory, servers);
		try {
			int before = this.events.renewals.get();
			await().atMost(PATIENCE).until(() -> this.events.renewals.get() >= before + 4);
			assertThat(registry.health().get(PATIENCE.toSeconds(), TimeUnit.SECONDS).up()).isTrue();
			CompletableFuture<LockHandle> waiting = registry.acquireAsync(LockRequest.of("held"));
			held.close();
			waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
			assertThat(this.events.losses).isEmpty();
			assertThat(users).noneMatch(Future::isDone);
		}
		finally {
			for (RedisServer server : servers) {
				server.cli("RPUSH", queue(server), "1", "2");
			}
		}
		for (Future<?> each : users) {
			each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		}
	}

	/** The application waits for Redis on all of its connections. */
	private List<Future<?>> useAllConnections(JedisConnectionFactory factory, List<RedisServer> servers) {
		List<Future<?>> users = new ArrayList<>();
		for (RedisServer server : servers) {
			byte[] queue = queue(server).getBytes(UTF_8);
			for (int i = 0; i < CONNECTIONS; i++) {
				users.add(async(() -> {
					try (RedisConnection connection = factory.getConnection()) {
						return connection.listCommands().bLPop(60, queue);
					}
				}));
			}
		}
		for (RedisServer server : servers) {
			await().atMost(PATIENCE)
				.failFast("A connection was not to be had", () -> users.stream().anyMatch(Future::isDone))
				.until(() -> String.valueOf(server.cli("INFO", "clients")).contains("blocked_clients:" + CONNECTIONS));
		}
		return users;
	}

	/** Returns the name of an empty list that a server has, or would have. */
	private static String queue(RedisServer server) {
		return IntStream.range(0, 100)
			.mapToObj((i) -> "queue-" + i)
			.filter((name) -> isServed(server, name))
			.findFirst()
			.orElseThrow();
	}

	private static boolean isServed(RedisServer server, String key) {
		try {
			return Objects.equals(server.cli("LLEN", key), 0L);
		}
		catch (RuntimeException ex) {
			if (String.valueOf(ex.getMessage()).contains("MOVED")) {
				return false;
			}
			throw ex;
		}
	}

}
