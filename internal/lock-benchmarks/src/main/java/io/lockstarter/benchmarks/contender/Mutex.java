package io.lockstarter.benchmarks.contender;

/**
 * Lock of one thread.
 */
public interface Mutex {

	/**
	 * Value of {@link #fencingToken()} for holds without a token.
	 */
	long NO_TOKEN = -1;

	/**
	 * Acquires the lock, and waits without a limit.
	 * @throws InterruptedException if the thread was interrupted
	 */
	void lock() throws InterruptedException;

	/**
	 * Reverts the latest {@link #lock()}.
	 */
	void unlock();

	/**
	 * Returns the fencing token of the hold.
	 * @return the token, or {@link #NO_TOKEN} if holds have none
	 */
	default long fencingToken() {
		return NO_TOKEN;
	}

	/**
	 * Returns whether this thread still holds the lock according to the contender.
	 * @return {@code true} if the lock is held
	 */
	default boolean isHeld() {
		throw new UnsupportedOperationException(getClass() + " does not report holds");
	}

}
