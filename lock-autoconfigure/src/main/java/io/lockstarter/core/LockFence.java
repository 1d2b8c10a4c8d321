package io.lockstarter.core;

import org.jspecify.annotations.Nullable;

/**
 * The database's say in what may be committed under a lock. There is one where the
 * application has JDBC. Thread-safe.
 */
public interface LockFence {

	/**
	 * Prepares the database, unless that was done before.
	 * @param user what needs the fence, for messages
	 * @throws RuntimeException if the fence cannot work in this application
	 */
	void prepare(String user);

	/**
	 * Registers the token of a lock that was just taken. From then on each transaction
	 * that is committed where the lock is in force, according to the {@link LockContext},
	 * is verified.
	 * @param lock the hold
	 * @param user what runs under the lock, for messages
	 * @return the end of the work
	 * @throws StaleTokenException if the database has a token that is not lower
	 */
	Guard guard(LockHandle lock, String user);

	/**
	 * Returns the fence of an application that needs it.
	 * @param fence the fence, or {@code null} if there is none
	 * @param user what needs the fence, for messages
	 * @return the fence
	 * @throws IllegalStateException if there is none
	 */
	static LockFence require(@Nullable LockFence fence, String user) {
		if (fence == null) {
			throw new IllegalStateException(user
					+ " is fenced, but there is no JDBC: add the dependency spring-boot-starter-jdbc, or omit fenced");
		}
		return fence;
	}

	/**
	 * Work under a fenced lock.
	 */
	interface Guard extends AutoCloseable {

		/** The work has returned normally. */
		void succeeded();

		@Override
		void close();

	}

}
