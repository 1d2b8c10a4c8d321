package io.lockstarter.redis;

import io.lockstarter.contract.PermitSemantics;
import io.lockstarter.contract.Registries;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.redis.replication.Replication;
import io.lockstarter.testing.RedisReplication;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * Permits that a replica must have acknowledged keep the contract.
 */
@Tag("stress")
class ReplicatedLockRegistryPermitTests extends Registries implements PermitSemantics {

	private static RedisReplication replication;

	private final RedisClients clients = new RedisClients();

	@BeforeAll
	static void startRedis() {
		replication = RedisReplication.start(1);
	}

	@AfterAll
	static void stopRedis() {
		replication.close();
	}

	@Override
	protected LockBackend newBackend() {
		return this.clients.connect(
				new RedisStandaloneConfiguration(replication.master().host(), replication.master().port()),
				new Replication(1, SHORT_LEASE.minusMillis(50)));
	}

	@Override
	protected void disconnect() throws Exception {
		this.clients.close();
	}

	@Override
	public boolean isForgotten(String name) {
		String key = "lock:{" + name + "}";
		return Long.valueOf(0).equals(replication.master().cli("EXISTS", key, key + ":waiters"));
	}

}
