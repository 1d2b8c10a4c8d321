package io.lockstarter.memory;

import org.junit.jupiter.api.Tag;

/**
 * What has rounds keeps the contract of permits with many of them.
 */
@Tag("stress")
class InMemoryLockRegistryPermitStressTests extends InMemoryLockRegistryPermitTests {

	@Override
	public int effort() {
		return 10;
	}

}
