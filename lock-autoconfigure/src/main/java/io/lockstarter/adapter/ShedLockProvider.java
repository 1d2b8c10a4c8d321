package io.lockstarter.adapter;

import java.time.Duration;
import java.util.Optional;

import io.lockstarter.core.Durations;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockInterruptedException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * Lock provider of ShedLock. Thread-safe.
 * <p>
 * Each lock belongs to the task that acquired it. It is not reentrant, and any thread may
 * unlock it. Its lease is {@code lockAtMostFor}, but at least 100 ms, and is not renewed.
 * The name of the lock is its name in ShedLock, so the lock excludes an annotated method
 * of the same name without a key.
 */
public final class ShedLockProvider implements ExtensibleLockProvider {

	private static final String METRIC_NAME = "shedlock";

	private final LockRegistry registry;

	/**
	 * Creates a provider.
	 * @param registry the source of the locks
	 */
	public ShedLockProvider(LockRegistry registry) {
		this.registry = registry;
	}

	/**
	 * Acquires a lock if it is free, without waiting.
	 * @return the lock, or empty if another owner holds it
	 * @throws io.lockstarter.core.LockBackendException if the backend failed or is
	 * unreachable; the caller then holds nothing
	 */
	@Override
	public Optional<SimpleLock> lock(LockConfiguration configuration) {
		long start = System.nanoTime();
		return acquire(request(configuration)).map((handle) -> new ShedLock(configuration, handle, start));
	}

	private static LockRequest request(LockConfiguration configuration) {
		return LockRequest.of(configuration.getName())
			.metricName(METRIC_NAME)
			.owner(LockOwner.create(Thread.currentThread().getName()))
			.waitTime(Duration.ZERO)
			.leaseTime(lease(configuration));
	}

	private Optional<LockHandle> acquire(LockRequest request) {
		try {
			return this.registry.tryAcquire(request);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockInterruptedException(request.name(), request.registry(), ex);
		}
	}

	static Duration lease(LockConfiguration configuration) {
		Duration atMost = configuration.getLockAtMostFor();
		return (atMost.compareTo(Durations.SHORTEST_LEASE) < 0) ? Durations.SHORTEST_LEASE : atMost;
	}

}
