package io.lockstarter.redis;

import org.junit.jupiter.api.Tag;

/**
 * What has rounds keeps the contract of permits with many of them.
 */
@Tag("stress")
class RedisLockRegistryPermitStressTests extends RedisLockRegistryPermitTests {

	@Override
	public int effort() {
		return 10;
	}

}
