package io.lockstarter.redis;

import io.lockstarter.contract.LockBackendContract;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.testing.RedisCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * The Redis backend keeps the contract in a cluster over Jedis.
 */
@Tag("stress")
class JedisClusterLockBackendTests extends LockBackendContract {

	private static RedisCluster cluster;

	private final RedisClients clients = new RedisClients();

	@BeforeAll
	static void startRedis() {
		cluster = RedisCluster.start();
	}

	@AfterAll
	static void stopRedis() {
		cluster.close();
	}

	@Override
	protected LockBackend newBackend() {
		return this.clients.connect(new JedisConnectionFactory(new RedisClusterConfiguration(cluster.addresses())));
	}

	@AfterEach
	void disconnect() throws Exception {
		this.clients.close();
	}

}
