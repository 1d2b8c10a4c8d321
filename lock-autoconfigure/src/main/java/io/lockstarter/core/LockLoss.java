package io.lockstarter.core;

import java.io.Serializable;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * A lock that ended before its holder released it. Published as an application event.
 *
 * @param name the lock's name
 * @param metricName what the lock counts under in meters: the annotation's static name
 * @param type the lock's type
 * @param owner who held it
 * @param fencingToken the token of the lost hold
 * @param reason why it was lost
 * @param lostAt the instant at which the lease had ended or the loss was learned,
 * whichever is earlier
 * @param heldFor how long it had been held then
 * @param registry which of several registries the lock is of, or {@code null} if there is
 * only one
 */
public record LockLoss(String name, String metricName, LockType type, LockOwner owner, long fencingToken, Reason reason,
		Instant lostAt, Duration heldFor, @Nullable String registry) implements Serializable {

	/**
	 * Why a lock is lost.
	 */
	public enum Reason {

		/** The lease ran out: a fixed lease was too short, or renewals failed. */
		LEASE_EXPIRED("its lease ran out"),
		/** The backend answered that the lock belongs to nobody or to somebody else. */
		NOT_OWNED("the backend no longer knew this holder"),
		/** Somebody took it away, as {@link LockMonitor#forceRelease} does. */
		FORCE_RELEASED("it was taken away by a forced release"),
		/** The owner's thread ended without releasing, so the lease was not renewed. */
		OWNER_ENDED("its owner's thread ended without releasing it"),
		/** It was held for longer than the configured maximum. */
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
				ago, Durations.text(this.heldFor), this.reason.text, this.fencingToken);
	}

}
