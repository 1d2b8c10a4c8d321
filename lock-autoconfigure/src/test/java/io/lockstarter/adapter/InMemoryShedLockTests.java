package io.lockstarter.adapter;

import org.junit.jupiter.api.Tag;

/**
 * ShedLock's tests and ours on the in-memory backend.
 */
@Tag("stress")
class InMemoryShedLockTests extends ShedLockContract {

	@Override
	Instances newInstances() {
		return Instances.inMemory();
	}

}
