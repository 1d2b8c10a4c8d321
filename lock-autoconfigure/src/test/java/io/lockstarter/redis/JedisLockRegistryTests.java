package io.lockstarter.redis;

import io.lockstarter.contract.LockRegistryContract;
import io.lockstarter.contract.PermitSemantics;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The registry keeps the contract on a Redis over Jedis.
 */
@Tag("stress")
class JedisLockRegistryTests extends LockRegistryContract implements PermitSemantics {

	private static RedisServer redis;

	private final RedisClients clients = new RedisClients();

	@BeforeAll
	static void startRedis() {
		redis = RedisServer.startGuarded();
	}

	@AfterAll
	static void stopRedis() {
		redis.close();
	}

	@AfterEach
	void clientsKeepToThePublishedRules() {
		assertThat(redis.violations()).isEmpty();
	}

	@Override
	protected LockBackend newBackend() {
		return this.clients
			.connect(new JedisConnectionFactory(new RedisStandaloneConfiguration(redis.host(), redis.port())));
	}

	@Override
	protected void disconnect() throws Exception {
		this.clients.close();
	}

	@Override
	public boolean isForgotten(String name) {
		String key = "lock:{" + name + "}";
		return Long.valueOf(0).equals(redis.cli("EXISTS", key, key + ":waiters"));
	}

}
