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
 * @param handoverAge how long after its last confirmation by the backend a lock may be
 * handed over within this JVM, or joined by readers
 * @param sendsReleases whether a thread that releases a lock goes on once the release is
 * sent, instead of waiting for the backend's reply
 */
public record EngineSettings(String instance, Duration waitTime, Duration leaseTime, @Nullable Duration maxHoldTime,
		boolean interruptOnLoss, int handoverLimit, int callbackThreads, Duration handoverAge, boolean sendsReleases) {

	private static final int DEFAULT_CALLBACK_THREADS = 64;

	/**
	 * Bound on falling tokens after a loss of data: 500 ms. Within that time a JVM that
	 * has not heard of the loss may begin holds with tokens below those of another JVM.
	 */
	private static final Duration DEFAULT_HANDOVER_AGE = Duration.ofMillis(500);

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

	/** The terms with which locks are handed over as long as they are by default. */
	public EngineSettings(String instance, Duration waitTime, Duration leaseTime, @Nullable Duration maxHoldTime,
			boolean interruptOnLoss, int handoverLimit, int callbackThreads) {
		this(instance, waitTime, leaseTime, maxHoldTime, interruptOnLoss, handoverLimit, callbackThreads,
				DEFAULT_HANDOVER_AGE, false);
	}

	/** The same terms with another {@link #handoverAge()}. */
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
