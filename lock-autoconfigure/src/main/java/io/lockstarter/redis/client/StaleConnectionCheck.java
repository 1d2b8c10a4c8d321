package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import io.lockstarter.logging.LockLog;

/**
 * Leaves a connection if a question says so that takes its time: one at a time, in the
 * background, and not again before a pause.
 */
final class StaleConnectionCheck {

	private static final LockLog logger = LockLog.of(StaleConnectionCheck.class);

	private final Executor executor;

	private final long pauseNanos;

	private final Runnable leave;

	private final AtomicBoolean asking = new AtomicBoolean();

	private volatile long notBefore = System.nanoTime();

	/**
	 * Ask nothing yet.
	 * @param executor runs the question, which may block
	 * @param leave closes the connection, which the next command opens anew
	 */
	StaleConnectionCheck(Executor executor, Duration pause, Runnable leave) {
		this.executor = executor;
		this.pauseNanos = pause.toNanos();
		this.leave = leave;
	}

	/** Leave the connection if it is stale, unless that is asked, or was just now. */
	void leaveIf(BooleanSupplier stale) {
		if (System.nanoTime() - this.notBefore < 0 || !this.asking.compareAndSet(false, true)) {
			return;
		}
		try {
			this.executor.execute(() -> ask(stale));
		}
		catch (RejectedExecutionException ex) {
			logger.debug("Nobody needs the connection any more", ex);
		}
		catch (OutOfMemoryError ex) {
			logger.debug("The connection is looked after later, when there is a thread", ex);
			this.asking.set(false);
		}
	}

	private void ask(BooleanSupplier stale) {
		try {
			if (stale.getAsBoolean()) {
				this.leave.run();
			}
		}
		finally {
			this.notBefore = System.nanoTime() + this.pauseNanos;
			this.asking.set(false);
		}
	}

}
