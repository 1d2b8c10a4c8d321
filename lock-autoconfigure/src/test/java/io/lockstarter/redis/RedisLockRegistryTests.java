package io.lockstarter.redis;

import io.lockstarter.contract.FairSemantics;
import io.lockstarter.contract.LockRegistryContract;
import io.lockstarter.core.NamedLock;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.testing.RedisServer;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The registry keeps the contract on a Redis of this machine.
 */
class RedisLockRegistryTests extends LockRegistryContract implements FairSemantics {

	private static RedisServer redis;

	private final RedisClients clients = new RedisClients();

	@BeforeAll
	static void startRedis() {
		redis = RedisServer.startGuarded();
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

	@Test
	void writesTheHoldCountToRedisInTheEnd() {
		int entries = 100_000;
		NamedLock lock = one().get(name());
		for (int i = 0; i < entries; i++) {
			lock.lock();
		}
		awaitHoldCount(entries);
		for (int i = 1; i < entries; i++) {
			lock.unlock();
		}
		awaitHoldCount(1);
		lock.unlock();
		assertThat(isForgotten(name())).isTrue();
	}

	private void awaitHoldCount(int count) {
		await().untilAsserted(() -> assertThat(redis.cli("HVALS", "lock:{" + name() + "}"))
			.asInstanceOf(InstanceOfAssertFactories.LIST)
			.containsExactly(Integer.toString(count)));
	}

}
