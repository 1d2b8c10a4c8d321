package io.lockstarter.core;

import java.io.Serializable;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A fencing token that the database refused, because it has one that is not lower.
 * Published as an application event.
 *
 * @param name the lock's name
 * @param metricName what the lock counts under in meters: the annotation's static name
 * @param type the lock's type
 * @param owner who held it
 * @param registry which of several registries the lock is of, or {@code null} if there is
 * only one
 * @param fencingToken the token of the refused hold
 * @param registeredToken the token in the database, or {@code null} if it has none, or
 * could not tell
 * @param stage what was refused
 * @param refusedAt the instant of the refusal
 */
public record FenceRefusal(String name, String metricName, LockType type, LockOwner owner, @Nullable String registry,
		long fencingToken, @Nullable Long registeredToken, Stage stage, Instant refusedAt) implements Serializable {

	/**
	 * What the database refuses.
	 */
	public enum Stage {

		/** The registration of the token, before any work under the lock. */
		REGISTRATION,
		/** The commit of a transaction, which was rolled back. */
		COMMIT

	}

}
