package io.lockstarter.memory;

import io.lockstarter.contract.PermitSemantics;
import org.junit.jupiter.api.Tag;

/**
 * Permits within one JVM keep the contract.
 */
@Tag("stress")
class InMemoryLockRegistryPermitTests extends InMemoryRegistries implements PermitSemantics {

}
