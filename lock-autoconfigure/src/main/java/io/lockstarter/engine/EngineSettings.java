package io.lockstarter.engine;

import java.time.Duration;

import io.lockstarter.engine.lease.Lease;
import org.jspecify.annotations.Nullable;

/**
 * The terms that hold where a request names none.
 *
 * @param instance how this JVM is called in what others see of its locks
 * @param waitTime how long to wait for a lock
 * @param leaseTime the lease of locks that are renewed
 * @param maxHoldTime after which time a lock is no longer renewed, or {@code null} for
 * never
 * @param interruptOnLoss whether a thread that loses its lock is interrupted
 * @param handoverLimit how often a lock is handed over within this JVM while another one
 * waits for it, or 0 to hand over never
 * @param callbackThreads how many threads run callbacks at most, where they are not
 * virtual
 */
public record EngineSettings(String instance, Duration waitTime, Duration leaseTime, @Nullable Duration maxHoldTime,
		boolean interruptOnLoss, int handoverLimit, int callbackThreads) {

	private static final int DEFAULT_CALLBACK_THREADS = 64;

	public EngineSettings {
		if (waitTime.isNegative()) {
			throw new IllegalArgumentException("The wait time must not be negative but is " + waitTime);
		}
		Lease.requireUsable("The lease time", leaseTime);
		if (maxHoldTime != null && maxHoldTime.compareTo(leaseTime) < 0) {
			throw new IllegalArgumentException("The longest hold time must not be shorter than the lease time "
					+ leaseTime + " but is " + maxHoldTime);
		}
		if (handoverLimit < 0) {
			throw new IllegalArgumentException("The hand-over limit must not be negative but is " + handoverLimit);
		}
		if (callbackThreads < 1) {
			throw new IllegalArgumentException(
					"There must be a thread for callbacks, but there are " + callbackThreads);
		}
	}

	/** The terms with which as many threads run callbacks as do by default. */
	public EngineSettings(String instance, Duration waitTime, Duration leaseTime, @Nullable Duration maxHoldTime,
			boolean interruptOnLoss, int handoverLimit) {
		this(instance, waitTime, leaseTime, maxHoldTime, interruptOnLoss, handoverLimit, DEFAULT_CALLBACK_THREADS);
	}

}
