package io.lockstarter.redis;

import java.util.Set;

import io.lockstarter.contract.LockBackendContract;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.testing.RedisSentinels;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * The Redis backend keeps the contract on a master that Sentinels name, over Jedis.
 */
@Tag("stress")
class JedisSentinelLockBackendTests extends LockBackendContract {

	private static RedisSentinels sentinels;

	private final RedisClients clients = new RedisClients();

	@BeforeAll
	static void startRedis() {
		sentinels = RedisSentinels.start();
	}

	@AfterAll
	static void stopRedis() {
		sentinels.close();
	}

	@Override
	protected LockBackend newBackend() {
		return this.clients.connect(new JedisConnectionFactory(
				new RedisSentinelConfiguration(sentinels.masterName(), Set.copyOf(sentinels.addresses()))));
	}

	@AfterEach
	void disconnect() throws Exception {
		this.clients.close();
	}

}
