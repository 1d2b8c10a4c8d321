package io.lockstarter.memory;

import io.lockstarter.contract.PermitSemantics;

/**
 * Permits within one JVM keep the contract.
 */
class InMemoryLockRegistryPermitTests extends InMemoryRegistries implements PermitSemantics {

}
