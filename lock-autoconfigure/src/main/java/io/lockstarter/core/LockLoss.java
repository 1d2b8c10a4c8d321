package io.lockstarter.core;

import java.io.Serializable;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * Loss of a lock, which ended before its holder released it. Published as an application
 * event.
 *
 * @param name the lock's name
 * @param metricName the name of the lock in meters: the annotation's static name
 * @param type the lock's type
 * @param owner the owner that held the lock
 * @param fencingToken the token of the lost hold
 * @param reason the reason of the loss
 * @param lostAt the instant at which the lease ended or this JVM learned of the loss,
 * whichever is earlier
 * @param heldFor the time for which the lock had been held then
 * @param registry the name of the lock's registry, or {@code null} if there is only one
 * @param failedRenewal why the last renewal failed, with the remedy if it is known;
 * {@code null} unless the lease expired because it could not be renewed
 */
public record LockLoss(String name, String metricName, LockType type, LockOwner owner, long fencingToken, Reason reason,
		Instant lostAt, Duration heldFor, @Nullable String registry,
		@Nullable String failedRenewal) implements Serializable {

	/**
	 * Creates a loss that no failed renewal has caused.
	 * @param name the lock's name
	 * @param metricName the name of the lock in meters
	 * @param type the lock's type
	 * @param owner the owner that held the lock
	 * @param fencingToken the token of the lost hold
	 * @param reason the reason of the loss
	 * @param lostAt the instant of the loss
	 * @param heldFor the time for which the lock had been held then
	 * @param registry the name of the lock's registry, or {@code null}
	 */
	public LockLoss(String name, String metricName, LockType type, LockOwner owner, long fencingToken, Reason reason,
			Instant lostAt, Duration heldFor, @Nullable String registry) {
		this(name, metricName, type, owner, fencingToken, reason, lostAt, heldFor, registry, null);
	}

	/**
	 * Reasons of a loss.
	 */
	public enum Reason {

		/** The lease expired: a fixed lease was too short, or renewals failed. */
		LEASE_EXPIRED("its lease expired"),
		/** The backend replied that this owner does not hold the lock. */
		NOT_OWNED("the backend no longer knew this holder"),
		/** The lock was force-released, as by {@link LockMonitor#forceRelease}. */
		FORCE_RELEASED("it was force-released"),
		/** The owner's thread ended without releasing, so the lease was not renewed. */
		OWNER_ENDED("its owner's thread ended without releasing it"),
		/** The lock was held for longer than the configured maximum. */
		MAX_HOLD_TIME("it was held for longer than distributed-lock.max-hold-time");

		private final String text;

		Reason(String text) {
			this.text = text;
		}

	}

	@Override
	public String toString() {
		long ago = Math.max(0, Duration.between(this.lostAt, Instant.now()).toMillis());
		return String.format(Locale.ROOT,
				"%s was held by %s, but lost at %s, %d ms ago, after %s, because %s; its fencing token was %d",
				LockRequest.text(OneLine.of(this.name), this.registry), OneLine.of(this.owner.toString()), this.lostAt,
				ago, Durations.text(this.heldFor), this.reason.text + renewalText(), this.fencingToken);
	}

	private String renewalText() {
		return (this.failedRenewal != null) ? ", as its renewal failed: " + OneLine.of(this.failedRenewal) : "";
	}

}
