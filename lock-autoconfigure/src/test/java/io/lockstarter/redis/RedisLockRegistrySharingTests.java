package io.lockstarter.redis;

import io.lockstarter.contract.FairSemantics;
import io.lockstarter.contract.SharingChapters;

/**
 * Sharing locks on Redis keeps the contract.
 */
class RedisLockRegistrySharingTests extends RedisRegistries implements SharingChapters, FairSemantics {

}
