package io.lockstarter.memory;

import io.lockstarter.contract.FairSemantics;
import io.lockstarter.contract.LockRegistryContract;
import io.lockstarter.core.backend.LockBackend;

/**
 * The registry keeps the contract on the in-memory backend.
 */
class InMemoryLockRegistryTests extends LockRegistryContract implements FairSemantics {

	private final InMemoryLockStore store = new InMemoryLockStore();

	@Override
	protected LockBackend newBackend() {
		return new InMemoryLockBackend(this.store);
	}

	@Override
	public boolean isForgotten(String name) {
		return this.store.size() == 0;
	}

}
