package io.lockstarter.redis;

import io.lockstarter.contract.LockRegistryContract;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.testing.Needs;
import io.lockstarter.testing.RedisContainerFixture;
import io.lockstarter.testing.Tool;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/**
 * The registry keeps the contract on a Redis in a container.
 */
@Needs(Tool.DOCKER)
@Tag("stress")
class ContainerLockRegistryTests extends LockRegistryContract {

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

	@Override
	protected void disconnect() throws Exception {
		this.clients.close();
	}

	@Override
	public boolean isForgotten(String name) {
		String key = "lock:{" + name + "}";
		return Long.valueOf(0).equals(redis.cli("EXISTS", key, key + ":waiters"));
	}

}
