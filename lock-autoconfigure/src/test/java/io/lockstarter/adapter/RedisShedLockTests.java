package io.lockstarter.adapter;

import io.lockstarter.testing.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * ShedLock's tests and ours on a Redis of this machine.
 */
class RedisShedLockTests extends ShedLockContract {

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

}
