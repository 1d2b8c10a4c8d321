package io.lockstarter.engine;

import java.time.Duration;

import io.lockstarter.engine.lease.Lease;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a registry, which apply where a request omits its own.
 *
 * @param instance the name under which other instances see the holders of this JVM
 * @param waitTime the time that a request waits for a lock
 * @param leaseTime the lease of locks that are renewed
 * @param maxHoldTime the time after which a lock is no longer renewed, or {@code null}
 * for never
 * @param interruptOnLoss whether a thread that loses its lock is interrupted
 * @param handoverLimit the number of hand-overs within this JVM while another instance
 * waits for the lock, or 0 to disable hand-over
 * @param callbackThreads the maximum number of callback threads, where they are not
 * virtual
 * @param handoverAge the time after the backend's last confirmation within which a lock
 * may be handed over in this JVM, or joined by readers
 * @param sendsReleases whether a thread that releases a lock goes on once the release is
 * sent, instead of waiting for the backend's reply
 */
public record EngineSettings(String instance, Duration waitTime, Duration leaseTime, @Nullable Duration maxHoldTime,
		boolean interruptOnLoss, int handoverLimit, int callbackThreads, Duration handoverAge, boolean sendsReleases) {

	private static final int DEFAULT_CALLBACK_THREADS = 64;

	/**
	 * Bound on decreasing tokens after a loss of data: 500 ms. Within that time, a JVM
	 * that has not noticed the loss may begin holds with tokens below those of another
	 * JVM.
	 */
	private static final Duration DEFAULT_HANDOVER_AGE = Duration.ofMillis(500);

	public EngineSettings {
		if (waitTime.isNegative()) {
			throw new IllegalArgumentException("The wait time must not be negative but is " + waitTime);
		}
		Lease.requireUsable("The lease time", leaseTime);
		if (maxHoldTime != null && maxHoldTime.compareTo(leaseTime) < 0) {
			throw new IllegalArgumentException("The maximum hold time must not be shorter than the lease time "
					+ leaseTime + " but is " + maxHoldTime);
		}
		if (handoverLimit < 0) {
			throw new IllegalArgumentException("The hand-over limit must not be negative but is " + handoverLimit);
		}
		if (callbackThreads < 1) {
			throw new IllegalArgumentException(
					"The number of callback threads must be at least 1 but is " + callbackThreads);
		}
	}

	/** Creates settings with the default number of callback threads. */
	public EngineSettings(String instance, Duration waitTime, Duration leaseTime, @Nullable Duration maxHoldTime,
			boolean interruptOnLoss, int handoverLimit) {
		this(instance, waitTime, leaseTime, maxHoldTime, interruptOnLoss, handoverLimit, DEFAULT_CALLBACK_THREADS);
	}

	/** Creates settings with the default age of hand-overs. */
	public EngineSettings(String instance, Duration waitTime, Duration leaseTime, @Nullable Duration maxHoldTime,
			boolean interruptOnLoss, int handoverLimit, int callbackThreads) {
		this(instance, waitTime, leaseTime, maxHoldTime, interruptOnLoss, handoverLimit, callbackThreads,
				DEFAULT_HANDOVER_AGE, false);
	}

	/** Returns a copy of these settings with another {@link #handoverAge()}. */
	public EngineSettings handoverAge(Duration age) {
		return new EngineSettings(this.instance, this.waitTime, this.leaseTime, this.maxHoldTime, this.interruptOnLoss,
				this.handoverLimit, this.callbackThreads, age, this.sendsReleases);
	}

	/** Returns the same settings, with releases that are sent and not waited for. */
	public EngineSettings sendReleases() {
		return new EngineSettings(this.instance, this.waitTime, this.leaseTime, this.maxHoldTime, this.interruptOnLoss,
				this.handoverLimit, this.callbackThreads, this.handoverAge, true);
	}

}
