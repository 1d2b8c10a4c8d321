package io.lockstarter.redis.wake;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockstarter.logging.LockLog;

/**
 * Delayed execution of tasks that do not block, on the JDK's timer.
 */
final class DelayedTasks {

	private static final LockLog logger = LockLog.of(DelayedTasks.class);

	private DelayedTasks() {
	}

	/** Runs a task after a delay. Without memory for a thread, the task is dropped. */
	static void run(long millis, Runnable action) {
		try {
			CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS, Runnable::run).execute(action);
		}
		catch (OutOfMemoryError ex) {
			logger.debug("The task could not be scheduled, because no thread could be created", ex);
		}
	}

}
