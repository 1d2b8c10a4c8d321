package io.lockstarter.faults;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.api.StatefulConnection;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.redis.RedisClients;
import io.lockstarter.redis.RedisLockBackend;
import io.lockstarter.testing.RedisCluster;
import io.lockstarter.testing.RedisServer;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettucePoolingClientConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A pool of Lettuce, from which locks take no connection.
 */
class PooledConnectionTests extends RedisOfItsOwn {

	private static final Duration LEASE = Duration.ofSeconds(20);

	private final GenericObjectPoolConfig<StatefulConnection<?, ?>> pool = new GenericObjectPoolConfig<>();

	private LettuceConnectionFactory factory(RedisServer server, int database) {
		this.pool.setMaxTotal(1);
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(server.host(), server.port());
		configuration.setDatabase(database);
		LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration,
				LettucePoolingClientConfiguration.builder().poolConfig(this.pool).build());
		factory.afterPropertiesSet();
		factory.start();
		this.registries.keep(factory::destroy);
		return factory;
	}

	private DefaultLockRegistry registry(LettuceConnectionFactory factory) {
		return this.registries.open(this.registries.keep(new RedisLockBackend(factory, "lock:", Duration.ofMinutes(1))),
				LEASE, this.events);
	}

	@Test
	void applicationThatUsesUpThePoolTakesNoLockAway() throws Exception {
		LettuceConnectionFactory factory = factory(this.redis, 0);
		factory.setShareNativeConnection(false);
		DefaultLockRegistry registry = registry(factory);
		LockHandle held = registry(LEASE).acquire(LockRequest.of("a"));
		try (RedisConnection used = factory.getConnection()) {
			used.ping();
			var waiting = registry.acquireAsync(LockRequest.of("a"));
			await().until(() -> registry.waitingCount() == 1);
			held.close();
			await().until(waiting::isDone);
			waiting.join().close();
		}
	}

	@Test
	void locksAreInTheDatabaseOfTheFactory() throws Exception {
		RedisServer server = this.registries.keep(RedisServer.start());
		try (LockHandle held = registry(factory(server, 3)).acquire(LockRequest.of("a"))) {
			assertThat(held.isValid()).isTrue();
			assertThat(String.valueOf(server.cli("INFO", "keyspace"))).contains("db3:").doesNotContain("db0:");
		}
	}

	@Test
	void locksWorkInACluster() throws Exception {
		RedisCluster cluster = this.registries.keep(RedisCluster.start());
		RedisClients clients = this.registries.keep(new RedisClients());
		DefaultLockRegistry registry = this.registries
			.open(clients.connect(new RedisClusterConfiguration(cluster.addresses()),
					LettucePoolingClientConfiguration.builder().poolConfig(this.pool).build()), LEASE);
		DefaultLockRegistry other = this.registries
			.open(clients.connect(new RedisClusterConfiguration(cluster.addresses())), LEASE);
		Registries.warmUp(registry);
		LockHandle held = other.acquire(LockRequest.of("a"));
		var waiting = registry.acquireAsync(LockRequest.of("a"));
		await().untilAsserted(() -> assertThat(registry.health().get(5, TimeUnit.SECONDS).details())
			.containsEntry("subscription", "up"));
		held.close();
		await().until(waiting::isDone);
		waiting.join().close();
	}

}
