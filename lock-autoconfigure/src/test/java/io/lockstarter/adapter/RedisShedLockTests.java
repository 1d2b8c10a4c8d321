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

	/**
	 * ShedLock's tests end as soon as their locks have been held for the least time,
	 * which on a busy machine may be before the last of them is released. Left behind, it
	 * would keep the next test waiting for its most time, five minutes.
	 */
	@Override
	Instances newInstances() {
		redis.cli("FLUSHALL");
		return Instances.on(redis);
	}

}
