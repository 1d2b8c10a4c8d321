package io.lockstarter.benchmarks.contender;

import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;

/**
 * Redisson's semaphore, whose permits never expire. Those of a dead holder are lost.
 */
final class RedissonSemaphore implements Contender {

	private final RedissonClient client;

	private RedissonSemaphore(Setup setup) {
		this.client = RedissonLocks.connect(setup, setup.uri());
	}

	static Contender start(Setup setup) {
		return new RedissonSemaphore(setup);
	}

	@Override
	public Mutex mutex(String name) {
		return mutex(name, 1);
	}

	@Override
	public Mutex mutex(String name, int permits) {
		// The permits of a name can be set only once
		RSemaphore semaphore = this.client.getSemaphore(name + "-of-" + permits);
		semaphore.trySetPermits(permits);
		return new SemaphoreMutex(semaphore);
	}

	@Override
	public String redisKey(String name) {
		return name + "-of-1";
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

	/**
	 * Permit of Redisson.
	 */
	private record SemaphoreMutex(RSemaphore target) implements Mutex {

		@Override
		public void lock() throws InterruptedException {
			this.target.acquire();
		}

		@Override
		public void unlock() {
			this.target.release();
		}

	}

}
