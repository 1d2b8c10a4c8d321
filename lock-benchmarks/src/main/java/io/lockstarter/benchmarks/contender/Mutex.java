package io.lockstarter.benchmarks.contender;

/**
 * A lock as one thread uses it.
 */
public interface Mutex {

	/**
	 * Returned by {@link #fencingToken()} where there is none.
	 */
	long NO_TOKEN = -1;

	/**
	 * Takes the lock, waiting for as long as it takes.
	 * @throws InterruptedException if the thread was interrupted
	 */
	void lock() throws InterruptedException;

	/**
	 * Undoes the latest {@link #lock()}.
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
	 * Returns whether this thread still holds the lock, as far as the contender tells.
	 * @return whether it is held
	 */
	default boolean isHeld() {
		throw new UnsupportedOperationException(getClass() + " does not tell");
	}

}
