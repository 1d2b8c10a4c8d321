package io.lockstarter.redis;

import io.lockstarter.contract.LockBackendContract;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.testing.Needs;
import io.lockstarter.testing.RedisContainerFixture;
import io.lockstarter.testing.Tool;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/**
 * The Redis backend keeps the contract on a server in a container.
 */
@Needs(Tool.DOCKER)
@Tag("stress")
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
