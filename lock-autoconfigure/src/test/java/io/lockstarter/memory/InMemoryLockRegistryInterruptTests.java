package io.lockstarter.memory;

import io.lockstarter.contract.InterruptSweep;
import org.junit.jupiter.api.Tag;

/**
 * Interrupts within one JVM keep the contract.
 */
@Tag("stress")
class InMemoryLockRegistryInterruptTests extends InMemoryRegistries implements InterruptSweep {

}
