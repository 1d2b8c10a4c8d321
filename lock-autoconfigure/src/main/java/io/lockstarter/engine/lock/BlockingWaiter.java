package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;

/**
 * Request whose thread waits for its completion.
 */
public final class BlockingWaiter extends Waiter {

	private final Thread thread = Thread.currentThread();

	public BlockingWaiter(LockRequest request, LockOwner owner, Duration waitTime, Duration lease) {
		super(request, owner, waitTime, lease, System.nanoTime());
	}

	@Override
	void completed() {
		if (Thread.currentThread() != this.thread) {
			LockSupport.unpark(this.thread);
		}
	}

	@Override
	boolean hasThread() {
		return true;
	}

	@Override
	void signal() {
		LockSupport.unpark(this.thread);
	}

	/** Waits until the request has completed, and restores an interrupt afterwards. */
	public void await() {
		if (await(false)) {
			this.thread.interrupt();
		}
	}

	/**
	 * Waits until the request has completed. An interrupt withdraws the request, unless
	 * the request completes at the same instant: then the outcome counts, and the
	 * interrupt is restored.
	 * @throws InterruptedException if the request was withdrawn
	 */
	public void awaitInterruptibly() throws InterruptedException {
		if (await(true)) {
			if (!isCompleted()) {
				throw new InterruptedException();
			}
			this.thread.interrupt();
		}
	}

	/**
	 * Waits, and returns whether the thread was interrupted.
	 */
	private boolean await(boolean withdrawsOnInterrupt) {
		boolean interrupted = false;
		boolean expires = hasDeadline();
		long nap = Long.MAX_VALUE;
		while (!isCompleted()) {
			long remaining = expires ? remainingNanos() : Long.MAX_VALUE;
			if (Thread.interrupted()) {
				interrupted = true;
				if (withdrawsOnInterrupt && withdraw()) {
					return true;
				}
			}
			else if (remaining <= 0) {
				expires = false;
				expire();
			}
			else {
				park(Math.min(remaining, nap));
				nap = acceptOffer();
			}
		}
		return interrupted;
	}

	private void park(long nanos) {
		if (nanos == Long.MAX_VALUE) {
			LockSupport.park(this);
		}
		else {
			LockSupport.parkNanos(this, nanos);
		}
	}

	/**
	 * Accepts an offered lock, and returns the time until the next check without a
	 * signal, in nanoseconds.
	 */
	private long acceptOffer() {
		LocalLock lock = lock();
		return (lock == null || isCompleted()) ? Long.MAX_VALUE : lock.takeOffer(this);
	}

}
