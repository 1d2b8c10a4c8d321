package io.lockstarter.memory;

import io.lockstarter.contract.LeaseChapters;
import org.junit.jupiter.api.Tag;

/**
 * Leases within one JVM keep the contract.
 */
@Tag("stress")
class InMemoryLockRegistryLeaseTests extends InMemoryRegistries implements LeaseChapters {

}
