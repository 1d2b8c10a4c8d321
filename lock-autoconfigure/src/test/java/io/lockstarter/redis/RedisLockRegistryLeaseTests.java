package io.lockstarter.redis;

import io.lockstarter.contract.LeaseChapters;

/**
 * Leases on Redis keep the contract.
 */
class RedisLockRegistryLeaseTests extends RedisRegistries implements LeaseChapters {

}
