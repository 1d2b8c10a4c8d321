package io.lockstarter.redis.client;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Search for a server that accepts writes when the current one refuses them: the address
 * of the master may lead to another server, while a connection stays with the demoted
 * master. One search serves all commands that are refused meanwhile. A failed search is
 * remembered for 500 ms, so that a permanent replica is not probed for each command.
 * <p>
 * Safe for use by multiple threads.
 */
public final class MasterSearch {

	private static final LockLog logger = LockLog.of(MasterSearch.class);

	/** Time for which a failed search is remembered: 500 ms. */
	private static final long REMEMBERED_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	/** Maximum time for which a command waits for a search, which continues: 1 s. */
	private static final Duration MAX_WAIT = Duration.ofSeconds(1);

	private final BooleanSupplier search;

	private final Executor executor;

	private @Nullable CompletableFuture<Boolean> latest;

	private volatile long endedAt;

	/**
	 * Creates a search.
	 * @param search drops connections to servers that accept no writes, and returns
	 * whether further commands go to a server that accepts them; may block
	 * @param executor runs the search
	 */
	public MasterSearch(BooleanSupplier search, Executor executor) {
		this.search = search;
		this.executor = executor;
	}

	/**
	 * Searches, or joins the current search. The future completes with whether a refused
	 * command is worth sending again.
	 */
	public synchronized CompletableFuture<Boolean> find() {
		CompletableFuture<Boolean> current = this.latest;
		if (current == null
				|| (current.isDone() && (current.join() || System.nanoTime() - this.endedAt >= REMEMBERED_NANOS))) {
			current = begin();
			this.latest = current;
		}
		return current.copy().completeOnTimeout(false, MAX_WAIT.toNanos(), TimeUnit.NANOSECONDS);
	}

	private CompletableFuture<Boolean> begin() {
		CompletableFuture<Boolean> outcome = new CompletableFuture<>();
		try {
			this.executor.execute(() -> run(outcome));
		}
		catch (RuntimeException | OutOfMemoryError ex) {
			logger.debug("No thread could be created to search for a master", ex);
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
			logger.debug("No server that accepts writes is reachable", ex);
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
