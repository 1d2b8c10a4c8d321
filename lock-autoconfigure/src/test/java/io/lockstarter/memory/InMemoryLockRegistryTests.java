package io.lockstarter.memory;

import io.lockstarter.contract.LockingChapters;

/**
 * Locking within one JVM keeps the contract. The other chapters, which test the engine
 * rather than the backend, run on Redis; within one JVM they are part of the stress
 * suite.
 */
class InMemoryLockRegistryTests extends InMemoryRegistries implements LockingChapters {

}
