package io.lockstarter.redis;

import io.lockstarter.contract.PermitSemantics;

/**
 * Permits in Redis keep the contract.
 */
class RedisLockRegistryPermitTests extends RedisRegistries implements PermitSemantics {

}
