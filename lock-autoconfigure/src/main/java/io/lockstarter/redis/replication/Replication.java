package io.lockstarter.redis.replication;

import java.time.Duration;
import java.util.Locale;

import io.lockstarter.core.Durations;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * Replicas that must acknowledge a lock before it is granted.
 *
 * @param minReplicas the number of replicas, 0 for none
 * @param timeout the maximum time to wait for the replicas
 */
public record Replication(int minReplicas, Duration timeout) {

	/** Asynchronous replication only. */
	public static final Replication NONE = new Replication(0, Duration.ofMillis(1));

	public Replication {
		if (minReplicas < 0) {
			throw new IllegalArgumentException("The number of replicas must not be negative but is " + minReplicas);
		}
		if (timeout.toMillis() < 1) {
			throw new IllegalArgumentException("The replication timeout must be at least 1ms but is " + timeout);
		}
	}

	public boolean isOn() {
		return this.minReplicas > 0;
	}

	/**
	 * Returns why a lease is too short, or {@code null}. It must not be able to expire
	 * before its lock is granted.
	 * @param name the name of the lock
	 */
	public @Nullable LockBackendException objection(String name, Duration lease) {
		if (!isOn() || lease.compareTo(this.timeout) > 0) {
			return null;
		}
		return new LockBackendException(name, Reason.NOT_SUPPORTED,
				"its lease of %s could expire before the lock is granted, because replicas may take %s (distributed-lock.replication.timeout) to acknowledge it; request a longer lease, or lower the timeout"
					.formatted(Durations.exact(lease), Durations.exact(this.timeout)),
				null);
	}

	/**
	 * Checks that enough replicas have acknowledged a lock.
	 * @param name the name of the lock
	 * @param replicas the number of replicas that acknowledged the lock
	 * @throws LockBackendException if too few replicas acknowledged the lock
	 */
	public void require(String name, long replicas) {
		if (replicas < this.minReplicas) {
			throw new LockBackendException(name, Reason.NOT_REPLICATED,
					String.format(Locale.ROOT, "%d of the %d required replicas acknowledged the lock within %s",
							replicas, this.minReplicas, this.timeout),
					null);
		}
	}

}
