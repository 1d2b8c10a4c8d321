package io.lockstarter.adapter;

/**
 * The adapter for Spring Integration on the in-memory backend.
 */
class InMemoryIntegrationLockTests extends IntegrationLockContract {

	@Override
	Instances newInstances() {
		return Instances.inMemory();
	}

}
