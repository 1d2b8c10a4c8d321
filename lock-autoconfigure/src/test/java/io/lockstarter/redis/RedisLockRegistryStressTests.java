package io.lockstarter.redis;

import io.lockstarter.contract.InterruptSweep;
import org.junit.jupiter.api.Tag;

/**
 * What has rounds keeps the contract with many of them.
 */
@Tag("stress")
class RedisLockRegistryStressTests extends RedisLockRegistrySharingTests implements InterruptSweep {

	@Override
	public int effort() {
		return 5;
	}

}
