package io.lockstarter.adapter;

import java.time.Duration;

import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

import static org.awaitility.Awaitility.await;

/**
 * The adapter for Spring Integration on a Redis of this machine.
 */
class RedisIntegrationLockTests extends IntegrationLockContract {

	private static RedisServer redis;

	@BeforeAll
	static void startRedis() {
		redis = RedisServer.start();
	}

	@AfterAll
	static void stopRedis() {
		redis.close();
	}

	@Override
	Instances newInstances() {
		return Instances.on(redis);
	}

	@Override
	void assertNothingIsRenewed() {
		redis.resetStats();
		await().pollDelay(Duration.ofSeconds(1)).until(() -> redis.commandCalls("evalsha") == 0);
	}

}
