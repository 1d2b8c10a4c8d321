package io.lockstarter.redis;

import io.lockstarter.contract.LockBackendContract;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.testing.RedisCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

import org.springframework.data.redis.connection.RedisClusterConfiguration;

/**
 * The Redis backend keeps the contract in a cluster.
 */
class ClusterLockBackendTests extends LockBackendContract {

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
		return this.clients.connect(new RedisClusterConfiguration(cluster.addresses()));
	}

	@AfterEach
	void disconnect() throws Exception {
		this.clients.close();
	}

}
