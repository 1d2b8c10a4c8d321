package io.lockstarter.adapter;

import java.time.Duration;

import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.OneLine;

import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * Lock registry of Spring Integration. Thread-safe.
 * <p>
 * A lock is reentrant, and owned by the thread that acquired it. It is renewed while it
 * is held, unless it was acquired with a time to live. A thread that has lost its lock
 * has to unlock it before the thread can acquire it again. Until then, every attempt
 * throws a {@link io.lockstarter.core.LockLostException}, so that the loss does not go
 * unnoticed.
 */
public final class IntegrationLockRegistry
		implements ExpirableLockRegistry<DistributedLock>, RenewableLockRegistry<DistributedLock> {

	private final LockRegistry registry;

	private final String registryKey;

	private final Duration renewedFor;

	/**
	 * Creates a registry of Spring Integration.
	 * @param registry the source of the locks
	 * @param registryKey the first part of the names of all locks, and their metric name
	 * @param renewedFor the lease that {@link #renewLock(Object)} ensures
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
	 * Returns the lock of a key: a view that holds nothing until it is locked. Two locks
	 * of the same key are equal if their registries have the same registry key and the
	 * same source of locks.
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
					"The key of a lock must be a non-empty string but is '%s'; build the key from what identifies the work"
						.formatted(OneLine.of(String.valueOf(lockKey))));
		}
		return LockRequest.of(this.registryKey + ":" + key).metricName(this.registryKey);
	}

	/**
	 * Does nothing, because locks that are not held occupy no memory.
	 */
	@Override
	public void expireUnusedOlderThan(long age) {
	}

	/**
	 * Confirms with the backend that the calling thread holds the lock, and extends the
	 * lease to at least its usual length from now. Unnecessary for a lock without a time
	 * to live, which is renewed automatically.
	 * @throws io.lockstarter.core.LockNotHeldException if the thread does not hold it
	 * @throws io.lockstarter.core.LockLostException if the thread held it but lost it
	 */
	@Override
	public void renewLock(Object lockKey) {
		renewLock(lockKey, this.renewedFor);
	}

	/**
	 * Confirms with the backend that the calling thread holds the lock, and extends the
	 * lease to at least the given time from now. The lease is never shortened.
	 * @throws io.lockstarter.core.LockNotHeldException if the thread does not hold it
	 * @throws io.lockstarter.core.LockLostException if the thread held it but lost it
	 */
	@Override
	public void renewLock(Object lockKey, Duration ttl) {
		this.registry.get(request(lockKey)).extend(ttl);
	}

}
