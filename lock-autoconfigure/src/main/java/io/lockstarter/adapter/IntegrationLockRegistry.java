package io.lockstarter.adapter;

import java.time.Duration;

import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.OneLine;

import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * The locks as a lock registry of Spring Integration. Thread-safe.
 * <p>
 * A lock is reentrant and owned by the thread that took it. It is renewed while it is
 * held, unless it was taken with a time to live. A thread that lost its lock has to
 * unlock it before it can take it again; until then it gets a
 * {@link io.lockstarter.core.LockLostException}, so that nobody goes on in the belief
 * that nothing happened.
 */
public final class IntegrationLockRegistry
		implements ExpirableLockRegistry<DistributedLock>, RenewableLockRegistry<DistributedLock> {

	private final LockRegistry registry;

	private final String registryKey;

	private final Duration renewedFor;

	/**
	 * Serve the locks of a registry.
	 * @param registry where the locks come from
	 * @param registryKey first part of the names of all locks, and the name under which
	 * meters count them
	 * @param renewedFor for how long {@link #renewLock(Object)} makes a lease last
	 */
	public IntegrationLockRegistry(LockRegistry registry, String registryKey, Duration renewedFor) {
		if (registryKey.isEmpty()) {
			throw new IllegalArgumentException("The registry key must not be empty");
		}
		this.registry = registry;
		this.registryKey = registryKey;
		this.renewedFor = renewedFor;
	}

	/**
	 * Return the lock of a key: a view that holds nothing until it is locked. Two of the
	 * same key are equal, if their registries have the same registry key and get their
	 * locks from the same place.
	 * @param lockKey the key, a non-empty string
	 * @return the lock, named by the registry key, a colon and the lock key
	 */
	@Override
	public DistributedLock obtain(Object lockKey) {
		return new IntegrationLock(this.registry, request(lockKey));
	}

	private LockRequest request(Object lockKey) {
		if (!(lockKey instanceof String key) || key.isEmpty()) {
			throw new IllegalArgumentException(
					"The key of a lock must be a non-empty string but is '%s': make it from what identifies the work"
						.formatted(OneLine.of(String.valueOf(lockKey))));
		}
		return LockRequest.of(this.registryKey + ":" + key).metricName(this.registryKey);
	}

	/**
	 * Do nothing: there is nothing to expire, because nothing is kept of a lock that is
	 * not held.
	 */
	@Override
	public void expireUnusedOlderThan(long age) {
	}

	/**
	 * Make sure with the backend that the calling thread holds the lock, with at least
	 * the usual lease from now on. Not needed for a lock without a time to live, which is
	 * renewed anyway.
	 * @throws io.lockstarter.core.LockNotHeldException if the thread does not hold it
	 * @throws io.lockstarter.core.LockLostException if the thread held it but lost it
	 */
	@Override
	public void renewLock(Object lockKey) {
		renewLock(lockKey, this.renewedFor);
	}

	/**
	 * Make sure with the backend that the calling thread holds the lock, with a lease
	 * that ends no earlier than the given time from now. A lease is never shortened.
	 * @throws io.lockstarter.core.LockNotHeldException if the thread does not hold it
	 * @throws io.lockstarter.core.LockLostException if the thread held it but lost it
	 */
	@Override
	public void renewLock(Object lockKey, Duration ttl) {
		this.registry.get(request(lockKey)).extend(ttl);
	}

}
