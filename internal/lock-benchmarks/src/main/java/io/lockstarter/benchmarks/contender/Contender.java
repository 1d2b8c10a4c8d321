package io.lockstarter.benchmarks.contender;

/**
 * Lock library that is connected and ready.
 */
public interface Contender extends AutoCloseable {

	/**
	 * Returns a lock for the calling thread.
	 * @param name the lock's name
	 * @return the lock, which holds nothing yet
	 */
	Mutex mutex(String name);

	/**
	 * Returns a shared lock for the calling thread.
	 * @param name the lock's name
	 * @return the lock, which holds nothing yet and excludes {@link #mutex(String)}
	 */
	default Mutex readMutex(String name) {
		throw new UnsupportedOperationException(getClass() + " does not support readers");
	}

	/**
	 * Returns a lock with permits for the calling thread.
	 * @param name the lock's name
	 * @param permits the number of permits
	 * @return the lock, which holds nothing yet
	 */
	default Mutex mutex(String name, int permits) {
		throw new UnsupportedOperationException(getClass() + " does not support permits");
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
