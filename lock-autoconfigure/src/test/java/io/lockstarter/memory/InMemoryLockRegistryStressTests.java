package io.lockstarter.memory;

import io.lockstarter.contract.InterruptSweep;
import org.junit.jupiter.api.Tag;

/**
 * What has rounds keeps the contract with many of them.
 */
@Tag("stress")
class InMemoryLockRegistryStressTests extends InMemoryLockRegistrySharingTests implements InterruptSweep {

	@Override
	public int effort() {
		return 5;
	}

}
