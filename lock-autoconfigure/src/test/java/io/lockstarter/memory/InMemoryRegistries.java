package io.lockstarter.memory;

import io.lockstarter.contract.Registries;
import io.lockstarter.core.backend.LockBackend;

/**
 * Registries within one JVM.
 */
abstract class InMemoryRegistries extends Registries {

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
