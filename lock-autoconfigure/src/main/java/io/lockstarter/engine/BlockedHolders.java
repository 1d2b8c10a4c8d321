package io.lockstarter.engine;

import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockThreads;
import io.lockstarter.engine.lock.Hold;
import org.jspecify.annotations.Nullable;

/**
 * Holders that cannot release their locks before the shutdown ends: the thread that
 * closes the application, and threads in {@link System#exit}. Thread-safe.
 */
final class BlockedHolders {

	private volatile @Nullable Thread closing;

	private volatile boolean exiting;

	/** Registers the thread that closes the application. */
	void closedBy(Thread thread) {
		this.closing = thread;
	}

	/** Registers the calling thread, unless another thread is registered. */
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
	 * Returns whether the thread that owns a hold never returns to its work. Returns
	 * {@code false} for an owner that is bound to no thread, because another thread may
	 * still work for it.
	 */
	boolean isOver(Hold hold) {
		LockOwner owner = hold.owner();
		return owner.thread() != null && isInExit(owner.thread());
	}

	/**
	 * Returns whether a thread has called {@link System#exit}, which never returns. The
	 * thread waits there for the shutdown hooks, or for another thread that runs them.
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

	/**
	 * Returns whether the JVM is shutting down, in which case it refuses shutdown hooks.
	 */
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
