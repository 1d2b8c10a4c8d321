package io.lockstarter.redis;

import io.lockstarter.contract.LockRegistryContract;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.testing.RedisCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

import org.springframework.data.redis.connection.RedisClusterConfiguration;

/**
 * The registry keeps the contract on a cluster.
 */
@Tag("stress")
class ClusterLockRegistryTests extends LockRegistryContract {

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

	@Override
	protected void disconnect() throws Exception {
		this.clients.close();
	}

	@Override
	public boolean isForgotten(String name) {
		String key = "lock:{" + name + "}";
		return Long.valueOf(0).equals(cluster.ownerOf(key).cli("EXISTS", key, key + ":waiters"));
	}

}
