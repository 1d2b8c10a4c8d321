package io.lockstarter.memory;

import io.lockstarter.contract.InterruptSweep;

/**
 * Interrupts within one JVM keep the contract.
 */
class InMemoryLockRegistryInterruptTests extends InMemoryRegistries implements InterruptSweep {

}
