package io.lockstarter.redis;

import io.lockstarter.contract.LockBackendContract;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The Redis backend keeps the contract over Jedis.
 */
class JedisLockBackendTests extends LockBackendContract {

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

	@AfterEach
	void disconnect() throws Exception {
		this.clients.close();
	}

}
