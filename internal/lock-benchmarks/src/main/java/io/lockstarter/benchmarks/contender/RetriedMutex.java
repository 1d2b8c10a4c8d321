package io.lockstarter.benchmarks.contender;

import java.util.concurrent.locks.LockSupport;

/**
 * Lock without a blocking wait, which is retried after a short pause.
 */
abstract class RetriedMutex implements Mutex {

	private static final long PAUSE_NANOS = 50_000;

	@Override
	public final void lock() throws InterruptedException {
		while (!tryLock()) {
			LockSupport.parkNanos(PAUSE_NANOS);
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
		}
	}

	abstract boolean tryLock() throws InterruptedException;

}
