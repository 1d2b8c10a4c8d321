package io.lockstarter.core;

import java.io.Serializable;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Refusal of a fencing token by the database, because the token of another hold is
 * registered there, or none at all. Published as an application event.
 *
 * @param name the lock's name
 * @param metricName the name of the lock in meters: the annotation's static name
 * @param type the lock's type
 * @param owner the owner that held the lock
 * @param registry the name of the lock's registry, or {@code null} if there is only one
 * @param fencingToken the token of the refused hold
 * @param registeredToken the token in the database, or {@code null} if it has none or its
 * token is unknown
 * @param stage the stage of the refusal
 * @param refusedAt the instant of the refusal
 */
public record FenceRefusal(String name, String metricName, LockType type, LockOwner owner, @Nullable String registry,
		long fencingToken, @Nullable Long registeredToken, Stage stage, Instant refusedAt) implements Serializable {

	/**
	 * Stages at which the database refuses a token.
	 */
	public enum Stage {

		/** The registration of the token, before any work under the lock. */
		REGISTRATION,
		/** The commit of a transaction, which was rolled back. */
		COMMIT

	}

}
