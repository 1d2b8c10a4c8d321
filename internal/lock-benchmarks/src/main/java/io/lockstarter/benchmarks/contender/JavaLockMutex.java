package io.lockstarter.benchmarks.contender;

import java.util.concurrent.locks.Lock;

/**
 * Mutex of a {@link Lock}.
 */
record JavaLockMutex(Lock target) implements Mutex {

	@Override
	public void lock() {
		this.target.lock();
	}

	@Override
	public void unlock() {
		this.target.unlock();
	}

}
