package io.lockstarter.benchmarks.contender;

/**
 * A locking library, connected and ready.
 */
public interface Contender extends AutoCloseable {

	/**
	 * Return a lock for the calling thread.
	 * @param name the lock's name
	 * @return the lock, which holds nothing yet
	 */
	Mutex mutex(String name);

	/**
	 * Return the Redis key that exists while a lock is held.
	 * @param name the lock's name
	 * @return the key
	 */
	default String redisKey(String name) {
		return name;
	}

	@Override
	void close();

}
