package io.lockstarter.benchmarks.contender;

import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;

/**
 * Redisson's semaphore whose permits have a fixed lease.
 */
final class RedissonPermits implements Contender {

	private final RedissonClient client;

	private final long leaseMillis;

	private RedissonPermits(Setup setup) {
		this.client = RedissonLocks.connect(setup, setup.uri());
		this.leaseMillis = setup.lease().toMillis();
	}

	static Contender start(Setup setup) {
		return new RedissonPermits(setup);
	}

	@Override
	public Mutex mutex(String name) {
		return mutex(name, 1);
	}

	@Override
	public Mutex mutex(String name, int permits) {
		// The permits of a name can be set only once
		RPermitExpirableSemaphore semaphore = this.client.getPermitExpirableSemaphore(name + "-of-" + permits);
		semaphore.trySetPermits(permits);
		return new PermitMutex(semaphore, this.leaseMillis);
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
	 * Permit of Redisson, with its identifier.
	 */
	private static final class PermitMutex implements Mutex {

		private final RPermitExpirableSemaphore target;

		private final long leaseMillis;

		private @Nullable String permit;

		private PermitMutex(RPermitExpirableSemaphore target, long leaseMillis) {
			this.target = target;
			this.leaseMillis = leaseMillis;
		}

		@Override
		public void lock() throws InterruptedException {
			this.permit = this.target.acquire(this.leaseMillis, TimeUnit.MILLISECONDS);
		}

		@Override
		public void unlock() {
			this.target.release(this.permit);
		}

	}

}
