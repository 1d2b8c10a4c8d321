package io.lockstarter.core;

import org.jspecify.annotations.Nullable;

/**
 * Verification of fencing tokens by the database, before transactions under a lock are
 * committed. Present in applications with JDBC. Thread-safe.
 */
public interface LockFence {

	/**
	 * Prepares the database, unless it was prepared before.
	 * @param user the code that needs the fence, for messages
	 * @throws RuntimeException if the fence cannot work in this application
	 */
	void prepare(String user);

	/**
	 * Registers the token of a lock that was just acquired. From then on every
	 * transaction that is committed under the lock, according to the {@link LockContext},
	 * is verified.
	 * @param lock the hold
	 * @param user the code that runs under the lock, for messages
	 * @return the end of the work
	 * @throws StaleTokenException if the database has a token that is not lower
	 */
	Guard guard(LockHandle lock, String user);

	/**
	 * Returns the fence of an application that needs it.
	 * @param fence the fence, or {@code null} if there is none
	 * @param user the code that needs the fence, for messages
	 * @return the fence
	 * @throws IllegalStateException if there is none
	 */
	static LockFence require(@Nullable LockFence fence, String user) {
		if (fence == null) {
			throw new IllegalStateException(user
					+ " is fenced, but the application has no JDBC: add the dependency spring-boot-starter-jdbc, or omit fenced");
		}
		return fence;
	}

	/**
	 * Work under a fenced lock.
	 */
	interface Guard extends AutoCloseable {

		/** Records that the work has returned normally. */
		void succeeded();

		@Override
		void close();

	}

}
