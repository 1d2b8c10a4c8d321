package io.lockstarter.engine;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;

import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;

/**
 * A request whose thread waits for it.
 */
final class BlockingWaiter extends Waiter {

	private static final int SPINS = 100;

	private final Thread thread = Thread.currentThread();

	/** How many commands are under way for the request, unless that is known already. */
	private volatile int underWay;

	BlockingWaiter(LockRequest request, LockOwner owner, Duration waitTime, Duration lease) {
		super(request, owner, waitTime, lease);
	}

	@Override
	void settled() {
		if (Thread.currentThread() != this.thread) {
			LockSupport.unpark(this.thread);
		}
	}

	@Override
	boolean canClaim() {
		return true;
	}

	@Override
	void call() {
		LockSupport.unpark(this.thread);
	}

	/**
	 * It takes about as long for the thread to wake. After a release of its own JVM the
	 * answer is mostly that the lock is granted; else the thread goes on sleeping.
	 */
	@Override
	void answerComes(int commands) {
		if (Thread.currentThread() == this.thread) {
			this.underWay = commands;
		}
		else if (commands > 1) {
			this.underWay = commands;
			LockSupport.unpark(this.thread);
		}
	}

	/** Wait until the request is settled, keeping an interrupt for later. */
	void await() {
		if (await(false)) {
			this.thread.interrupt();
		}
	}

	/**
	 * Wait until the request is settled. An interrupt withdraws it, unless it is settled
	 * at the same instant: then the outcome counts, and the interrupt is kept.
	 * @throws InterruptedException if the request was withdrawn
	 */
	void awaitInterruptibly() throws InterruptedException {
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
		awaitAnswer();
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
				awaitAnswer();
				nap = lookWhetherGranted();
			}
		}
		return interrupted;
	}

	/** Stay awake for an answer that is on its way. */
	private void awaitAnswer() {
		int commands = this.underWay;
		if (commands > 0) {
			this.underWay = 0;
			Objects.requireNonNull(lock()).engine().vigil().keep(this::isSettled, commands);
		}
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
		for (int i = 0; i < SPINS && !isSettled(); i++) {
			// Woken a moment before the request is settled.
			Thread.onSpinWait();
		}
		LocalLock lock = lock();
		return (lock == null || isSettled()) ? Long.MAX_VALUE : lock.claim(this);
	}

}
