package io.lockstarter.redis.wake;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockstarter.logging.LockLog;

/**
 * Runs what does not block after a while, on the JDK's own timer.
 */
final class Later {

	private static final LockLog logger = LockLog.of(Later.class);

	private Later() {
	}

	static void run(long millis, Runnable action) {
		try {
			CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS, Runnable::run).execute(action);
		}
		catch (OutOfMemoryError ex) {
			logger.debug("Nothing can be timed, for want of a thread", ex);
		}
	}

}
