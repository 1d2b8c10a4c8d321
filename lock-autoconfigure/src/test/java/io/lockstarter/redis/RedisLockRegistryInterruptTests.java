package io.lockstarter.redis;

import io.lockstarter.contract.InterruptSweep;

/**
 * Interrupts with Redis keep the contract.
 */
class RedisLockRegistryInterruptTests extends RedisRegistries implements InterruptSweep {

}
