package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Looks for a server that takes writes where the one in use takes none: the address of
 * the master may have moved, while a connection stays with the former one. One search
 * serves all commands that are refused meanwhile. If there is no such server, that counts
 * for a while, so that a replica that stays one is not asked over and over.
 * <p>
 * Safe for use by many threads.
 */
public final class MasterSearch {

	private static final LockLog logger = LockLog.of(MasterSearch.class);

	private static final long COUNTS_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	/** For how long a command waits for the outcome; the search goes on. */
	private static final Duration PATIENCE = Duration.ofSeconds(1);

	private final BooleanSupplier search;

	private final Executor executor;

	private @Nullable CompletableFuture<Boolean> latest;

	private volatile long endedAt;

	/**
	 * Search for nothing yet.
	 * @param search finds out, by blocking, whether commands go to a server that takes
	 * writes from now on, and leaves connections to others
	 * @param executor runs the search
	 */
	public MasterSearch(BooleanSupplier search, Executor executor) {
		this.search = search;
		this.executor = executor;
	}

	/** Completes with whether a command that was refused is worth sending again. */
	public synchronized CompletableFuture<Boolean> find() {
		CompletableFuture<Boolean> current = this.latest;
		if (current == null
				|| (current.isDone() && (current.join() || System.nanoTime() - this.endedAt >= COUNTS_NANOS))) {
			current = begin();
			this.latest = current;
		}
		return current.copy().completeOnTimeout(false, PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
	}

	private CompletableFuture<Boolean> begin() {
		CompletableFuture<Boolean> outcome = new CompletableFuture<>();
		try {
			this.executor.execute(() -> run(outcome));
		}
		catch (RuntimeException | OutOfMemoryError ex) {
			logger.debug("No thread can be had to look for a master", ex);
			end(outcome, false);
		}
		return outcome;
	}

	private void run(CompletableFuture<Boolean> outcome) {
		boolean found = false;
		try {
			found = this.search.getAsBoolean();
		}
		catch (RuntimeException ex) {
			logger.debug("No server can be reached that takes writes", ex);
		}
		finally {
			end(outcome, found);
		}
	}

	private void end(CompletableFuture<Boolean> outcome, boolean found) {
		this.endedAt = System.nanoTime();
		outcome.complete(found);
	}

}
