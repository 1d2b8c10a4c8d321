package io.lockstarter.adapter;

/**
 * ShedLock's tests and ours on the in-memory backend.
 */
class InMemoryShedLockTests extends ShedLockContract {

	@Override
	Instances newInstances() {
		return Instances.inMemory();
	}

}
