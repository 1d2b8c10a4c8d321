package io.lockstarter.benchmarks.contender;

import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;

import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson with its defaults.
 */
final class RedissonLocks implements Contender {

	private final RedissonClient client;

	private final BiFunction<RedissonClient, String, RLock> locks;

	private final Consumer<RLock> locking;

	private RedissonLocks(Setup setup, BiFunction<RedissonClient, String, RLock> locks, Consumer<RLock> locking) {
		this.client = connect(setup, setup.uri());
		this.locks = locks;
		this.locking = locking;
	}

	/** Connects to one server. */
	static RedissonClient connect(Setup setup, String uri) {
		Config config = new Config();
		config.setLockWatchdogTimeout(setup.lease().toMillis());
		config.useSingleServer().setAddress(uri);
		return Redisson.create(config);
	}

	static Contender renewed(Setup setup) {
		return new RedissonLocks(setup, RedissonClient::getLock, RLock::lock);
	}

	static Contender fixed(Setup setup) {
		long lease = setup.lease().toMillis();
		return new RedissonLocks(setup, RedissonClient::getLock, (lock) -> lock.lock(lease, TimeUnit.MILLISECONDS));
	}

	static Contender fair(Setup setup) {
		return new RedissonLocks(setup, RedissonClient::getFairLock, RLock::lock);
	}

	static Contender readWrite(Setup setup) {
		return new RedissonLocks(setup, (client, name) -> client.getReadWriteLock(name).writeLock(), RLock::lock);
	}

	@Override
	public Mutex mutex(String name) {
		return new LockMutex(this.locks.apply(this.client, name), this.locking);
	}

	@Override
	public Mutex readMutex(String name) {
		return new LockMutex(this.client.getReadWriteLock(name).readLock(), this.locking);
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

	/**
	 * Lock of Redisson.
	 */
	record LockMutex(RLock target, Consumer<RLock> locking) implements Mutex {

		@Override
		public void lock() {
			this.locking.accept(this.target);
		}

		@Override
		public void unlock() {
			this.target.unlock();
		}

		@Override
		public boolean isHeld() {
			return this.target.isHeldByCurrentThread();
		}

	}

}
