package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import io.lockstarter.logging.LockLog;

/**
 * Runner of a slow check that drops a stale connection. It runs at most one check at a
 * time, in the background, with a minimum pause between two checks.
 * <p>
 * Safe for use by multiple threads.
 */
final class StaleConnectionCheck {

	private static final LockLog logger = LockLog.of(StaleConnectionCheck.class);

	private final Executor executor;

	private final long pauseNanos;

	private final Runnable drop;

	private final AtomicBoolean running = new AtomicBoolean();

	private volatile long notBefore = System.nanoTime();

	/**
	 * Creates a runner.
	 * @param executor runs the check, which may block
	 * @param drop drops the connection; the next command opens another one
	 */
	StaleConnectionCheck(Executor executor, Duration pause, Runnable drop) {
		this.executor = executor;
		this.pauseNanos = pause.toNanos();
		this.drop = drop;
	}

	/**
	 * Drops the connection if a check finds it stale. Does nothing while a check runs or
	 * within the pause after it.
	 */
	void dropIf(BooleanSupplier stale) {
		if (System.nanoTime() - this.notBefore < 0 || !this.running.compareAndSet(false, true)) {
			return;
		}
		try {
			this.executor.execute(() -> run(stale));
		}
		catch (RejectedExecutionException ex) {
			logger.debug("The client is closed, so its connection is not checked", ex);
		}
		catch (OutOfMemoryError ex) {
			logger.debug("No thread could be created, so the connection is checked later", ex);
			this.running.set(false);
		}
	}

	private void run(BooleanSupplier stale) {
		try {
			if (stale.getAsBoolean()) {
				this.drop.run();
			}
		}
		finally {
			this.notBefore = System.nanoTime() + this.pauseNanos;
			this.running.set(false);
		}
	}

}
