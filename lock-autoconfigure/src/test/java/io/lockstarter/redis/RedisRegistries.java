package io.lockstarter.redis;

import io.lockstarter.contract.Registries;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Registries over Lettuce on a Redis of this machine.
 */
abstract class RedisRegistries extends Registries {

	static RedisServer redis;

	private final RedisClients clients = new RedisClients();

	@BeforeAll
	static void startRedis() {
		redis = RedisServer.startGuarded();
	}

	@AfterAll
	static void stopRedis() {
		redis.close();
	}

	@AfterEach
	void clientsKeepToThePublishedRules() {
		assertThat(redis.violations()).isEmpty();
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
