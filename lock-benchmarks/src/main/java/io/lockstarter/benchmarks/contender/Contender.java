package io.lockstarter.benchmarks.contender;

/**
 * A locking library, connected and ready.
 */
public interface Contender extends AutoCloseable {

	/**
	 * Returns a lock for the calling thread.
	 * @param name the lock's name
	 * @return the lock, which holds nothing yet
	 */
	Mutex mutex(String name);

	/**
	 * Returns a lock for the calling thread that does not mind others like it.
	 * @param name the lock's name
	 * @return the lock, which holds nothing yet and excludes {@link #mutex(String)}
	 */
	default Mutex readMutex(String name) {
		throw new UnsupportedOperationException(getClass() + " knows no readers");
	}

	/**
	 * Returns a lock for the calling thread that a number of threads may have at a time.
	 * @param name the lock's name
	 * @param permits how many
	 * @return the lock, which holds nothing yet
	 */
	default Mutex mutex(String name, int permits) {
		throw new UnsupportedOperationException(getClass() + " knows no permits");
	}

	/**
	 * Returns the Redis key that exists while a lock is held.
	 * @param name the lock's name
	 * @return the key
	 */
	default String redisKey(String name) {
		return name;
	}

	@Override
	void close();

}
