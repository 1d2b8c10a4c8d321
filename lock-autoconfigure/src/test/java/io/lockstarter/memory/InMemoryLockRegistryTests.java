package io.lockstarter.memory;

import io.lockstarter.contract.LockSemantics;

/**
 * Locking within one JVM keeps the first chapter of the contract. The other chapters,
 * which test the engine rather than the backend, run on Redis; within one JVM they are
 * part of the stress suite.
 */
class InMemoryLockRegistryTests extends InMemoryRegistries implements LockSemantics {

}
