package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;

/**
 * A request whose thread waits for it.
 */
public final class BlockingWaiter extends Waiter {

	private final Thread thread = Thread.currentThread();

	public BlockingWaiter(LockRequest request, LockOwner owner, Duration waitTime, Duration lease) {
		super(request, owner, waitTime, lease, System.nanoTime());
	}

	@Override
	void settled() {
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

	/** Wait until the request is settled, keeping an interrupt for later. */
	public void await() {
		if (await(false)) {
			this.thread.interrupt();
		}
	}

	/**
	 * Wait until the request is settled. An interrupt withdraws it, unless it is settled
	 * at the same instant: then the outcome counts, and the interrupt is kept.
	 * @throws InterruptedException if the request was withdrawn
	 */
	public void awaitInterruptibly() throws InterruptedException {
		if (await(true)) {
			if (!isSettled()) {
				throw new InterruptedException();
			}
			this.thread.interrupt();
		}
	}

	/**
	 * Wait, and return whether there was an interrupt.
	 */
	private boolean await(boolean withdrawsOnInterrupt) {
		boolean interrupted = false;
		boolean expires = hasDeadline();
		long nap = Long.MAX_VALUE;
		while (!isSettled()) {
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
				nap = lookWhetherGranted();
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

	/** Return after how long to look again if nobody calls. */
	private long lookWhetherGranted() {
		LocalLock lock = lock();
		return (lock == null || isSettled()) ? Long.MAX_VALUE : lock.takeOffer(this);
	}

}
