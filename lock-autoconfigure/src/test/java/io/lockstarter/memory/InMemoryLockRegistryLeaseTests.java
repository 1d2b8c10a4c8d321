package io.lockstarter.memory;

import io.lockstarter.contract.LeaseChapters;

/**
 * Leases within one JVM keep the contract.
 */
class InMemoryLockRegistryLeaseTests extends InMemoryRegistries implements LeaseChapters {

}
