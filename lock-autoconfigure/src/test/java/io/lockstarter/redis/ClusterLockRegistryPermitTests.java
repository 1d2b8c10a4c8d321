package io.lockstarter.redis;

import io.lockstarter.contract.PermitSemantics;
import io.lockstarter.contract.Registries;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.testing.RedisCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

import org.springframework.data.redis.connection.RedisClusterConfiguration;

/**
 * Permits on a cluster keep the contract, where no lock is granted by a message.
 */
@Tag("stress")
class ClusterLockRegistryPermitTests extends Registries implements PermitSemantics {

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
