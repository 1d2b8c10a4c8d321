package io.lockstarter.memory;

import io.lockstarter.contract.LockingChapters;
import org.junit.jupiter.api.Tag;

/**
 * Locking within one JVM keeps the contract.
 */
@Tag("stress")
class InMemoryLockRegistryLockingTests extends InMemoryRegistries implements LockingChapters {

}
