package io.lockstarter.engine;

import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockThreads;
import io.lockstarter.engine.lock.Hold;
import org.jspecify.annotations.Nullable;

/**
 * Holders that the shutdown must not wait for, because they wait for its end themselves:
 * the thread that closes the application, and threads in {@link System#exit}.
 * Thread-safe.
 */
final class BlockedHolders {

	private volatile @Nullable Thread closing;

	private volatile boolean exiting;

	/** Names the thread that closes the application. */
	void closedBy(Thread thread) {
		this.closing = thread;
	}

	/** Names the calling thread, unless another one was named. */
	void closedByCaller() {
		if (this.closing == null) {
			this.closing = Thread.currentThread();
		}
	}

	/** Returns whether the work under a hold cannot end before the shutdown. */
	boolean contains(Hold hold) {
		Thread worker = hold.owner().worker();
		return worker != null && (worker == this.closing || isInExit(worker));
	}

	/**
	 * Returns whether the thread that owns a hold never returns to its work. Others may
	 * still work for an owner that is bound to no thread.
	 */
	boolean isOver(Hold hold) {
		LockOwner owner = hold.owner();
		return owner.thread() != null && isInExit(owner.thread());
	}

	/**
	 * Returns whether a thread has called {@link System#exit}, of which no thread
	 * returns. It waits there for the shutdown hooks, or for another thread that does.
	 */
	private boolean isInExit(Thread thread) {
		Thread.State state = thread.getState();
		if (!(state == Thread.State.WAITING || state == Thread.State.BLOCKED) || !isJvmExiting()) {
			return false;
		}
		for (StackTraceElement frame : thread.getStackTrace()) {
			if (frame.getClassName().equals("java.lang.Shutdown") && frame.getMethodName().equals("exit")) {
				return true;
			}
		}
		return false;
	}

	/** The JVM refuses shutdown hooks when its own shutdown has begun. */
	private synchronized boolean isJvmExiting() {
		if (!this.exiting) {
			Thread hook = LockThreads.daemon("lock-exit-check", () -> {
			});
			try {
				Runtime.getRuntime().addShutdownHook(hook);
				Runtime.getRuntime().removeShutdownHook(hook);
			}
			catch (IllegalStateException ex) {
				this.exiting = true;
			}
		}
		return this.exiting;
	}

}
