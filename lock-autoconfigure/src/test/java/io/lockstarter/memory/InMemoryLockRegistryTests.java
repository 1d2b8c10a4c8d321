package io.lockstarter.memory;

import io.lockstarter.contract.LockingChapters;

/**
 * Locking within one JVM keeps the contract.
 */
class InMemoryLockRegistryTests extends InMemoryRegistries implements LockingChapters {

}
