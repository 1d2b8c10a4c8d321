package io.lockstarter.redis;

import io.lockstarter.contract.PermitSemantics;
import io.lockstarter.contract.Registries;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/**
 * Permits keep the contract where nobody can be told that one is free.
 */
@Tag("stress")
class RefusedMessagesPermitTests extends Registries implements PermitSemantics {

	private static RedisServer redis;

	private final RedisClients clients = new RedisClients();

	@BeforeAll
	static void startRedis() {
		redis = RedisServer.start();
		redis.cli("ACL", "SETUSER", "default", "-publish");
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
	public boolean hasMessages() {
		return false;
	}

	@Override
	public boolean isForgotten(String name) {
		String key = "lock:{" + name + "}";
		return Long.valueOf(0).equals(redis.cli("EXISTS", key, key + ":waiters"));
	}

}
