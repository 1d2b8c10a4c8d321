package io.lockstarter.redis;

import io.lockstarter.contract.LockBackendContract;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.testing.RedisContainerFixture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * The Redis backend keeps the contract on a server in a container.
 */
@EnabledIf(value = "io.lockstarter.testing.RedisContainerFixture#dockerAvailable",
		disabledReason = "No Docker engine answers; RedisLockBackendTests run the same on a server of this machine")
class ContainerLockBackendTests extends LockBackendContract {

	private static RedisContainerFixture redis;

	private final RedisClients clients = new RedisClients();

	@BeforeAll
	static void startRedis() {
		redis = RedisContainerFixture.start();
	}

	@AfterAll
	static void stopRedis() {
		redis.close();
	}

	@Override
	protected LockBackend newBackend() {
		return this.clients.connect(redis.host(), redis.port());
	}

	@AfterEach
	void disconnect() throws Exception {
		this.clients.close();
	}

}
