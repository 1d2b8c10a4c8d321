package io.lockstarter.redis.replication;

import java.time.Duration;
import java.util.Locale;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;

/**
 * How many replicas must have a lock before it is granted.
 *
 * @param minReplicas how many replicas, zero for none
 * @param timeout how long to wait for them
 */
public record Replication(int minReplicas, Duration timeout) {

	/** Replicas get a lock when they get it. */
	public static final Replication NONE = new Replication(0, Duration.ofMillis(1));

	public Replication {
		if (minReplicas < 0) {
			throw new IllegalArgumentException("The number of replicas must not be negative but is " + minReplicas);
		}
		if (timeout.toMillis() < 1) {
			throw new IllegalArgumentException("The timeout of replicas must be at least 1ms but is " + timeout);
		}
	}

	public boolean isOn() {
		return this.minReplicas > 0;
	}

	/**
	 * Refuse a lock that too few replicas have acknowledged.
	 * @param name the lock's name
	 * @throws LockBackendException if they are too few
	 */
	public void require(String name, long replicas) {
		if (replicas < this.minReplicas) {
			throw new LockBackendException(name, Reason.NOT_REPLICATED,
					String.format(Locale.ROOT, "%d of the %d replicas asked for acknowledged it within %s", replicas,
							this.minReplicas, this.timeout),
					null);
		}
	}

}
