package io.lockstarter.redis;

import java.time.Duration;

import io.lockstarter.contract.LockBackendContract;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.redis.replication.Replication;
import io.lockstarter.testing.RedisReplication;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * The Redis backend keeps the contract when it waits for replicas.
 */
@Tag("stress")
class ReplicatedLockBackendTests extends LockBackendContract {

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
				new Replication(1, Duration.ofMillis(500)));
	}

	@AfterEach
	void disconnect() throws Exception {
		this.clients.close();
	}

}
