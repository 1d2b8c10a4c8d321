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
 * The locks as a lock provider of ShedLock. Thread-safe.
 * <p>
 * Each lock belongs to the task that took it: it is not reentrant, and any thread may
 * unlock it. Its lease is {@code lockAtMostFor}, or 100 ms where that is shorter, and is
 * not renewed. The lock's name is the name that ShedLock knows, so it excludes an
 * annotated method of the same name without a key.
 */
public final class ShedLockProvider implements ExtensibleLockProvider {

	private static final String GROUP = "shedlock";

	private final LockRegistry registry;

	/**
	 * Serve the locks of a registry.
	 * @param registry where the locks come from
	 */
	public ShedLockProvider(LockRegistry registry) {
		this.registry = registry;
	}

	/**
	 * Take a lock if it is free, without waiting.
	 * @return the lock, or empty if somebody else has it
	 * @throws io.lockstarter.core.LockBackendException if the backend failed or could not
	 * be reached; the caller holds nothing then
	 */
	@Override
	public Optional<SimpleLock> lock(LockConfiguration configuration) {
		long start = System.nanoTime();
		return take(request(configuration)).map((handle) -> new ShedLock(configuration, handle, start));
	}

	private static LockRequest request(LockConfiguration configuration) {
		return LockRequest.of(configuration.getName())
			.metricName(GROUP)
			.owner(LockOwner.create(Thread.currentThread().getName()))
			.waitTime(Duration.ZERO)
			.leaseTime(lease(configuration));
	}

	private Optional<LockHandle> take(LockRequest request) {
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
