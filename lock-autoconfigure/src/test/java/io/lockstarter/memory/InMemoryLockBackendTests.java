package io.lockstarter.memory;

import io.lockstarter.contract.LockBackendContract;
import io.lockstarter.core.backend.LockBackend;

/**
 * The in-memory backend keeps the contract.
 */
class InMemoryLockBackendTests extends LockBackendContract {

	private final InMemoryLockStore store = new InMemoryLockStore();

	@Override
	protected LockBackend newBackend() {
		return new InMemoryLockBackend(this.store);
	}

	@Override
	protected boolean commandsMayArriveAgain() {
		return false;
	}

}
