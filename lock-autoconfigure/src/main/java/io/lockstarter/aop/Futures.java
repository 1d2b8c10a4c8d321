package io.lockstarter.aop;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

import io.lockstarter.core.LockThreads;
import org.jspecify.annotations.Nullable;

/**
 * Conversion of asynchronous results into stages.
 */
final class Futures {

	private static final PendingFutures PENDING = new PendingFutures();

	private Futures() {
	}

	/**
	 * Returns a result as a stage. A future that is not a stage does not report its
	 * completion, so one shared thread polls all of them. If that thread cannot be
	 * started, the calling thread waits, because the lock must not be released before the
	 * work has ended.
	 */
	@SuppressWarnings("unchecked")
	static CompletionStage<@Nullable Object> stage(@Nullable Object result) {
		if (result instanceof CompletionStage<?> stage) {
			return (CompletionStage<@Nullable Object>) stage;
		}
		if (result instanceof Future<?> future && !future.isDone()) {
			return whenDone(future);
		}
		return (result instanceof Future<?> future) ? await(future) : CompletableFuture.completedFuture(result);
	}

	/**
	 * Returns a stage that completes with a future. Dependent actions may take time, so
	 * they do not run on the shared thread.
	 */
	private static CompletionStage<@Nullable Object> whenDone(Future<?> future) {
		try {
			return PENDING.done(future).thenComposeAsync((done) -> await(future), Futures::onNewThread);
		}
		catch (OutOfMemoryError ex) {
			return await(future);
		}
	}

	private static void onNewThread(Runnable task) {
		try {
			LockThreads.daemon("lock-future", task).start();
		}
		catch (OutOfMemoryError ex) {
			task.run();
		}
	}

	/**
	 * Waits until a future is done, and restores an interrupt afterwards, because the
	 * lock must not be released before the work has ended.
	 */
	static CompletableFuture<@Nullable Object> await(Future<?> future) {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return CompletableFuture.completedFuture(future.get());
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
				catch (ExecutionException ex) {
					return CompletableFuture.failedFuture((ex.getCause() != null) ? ex.getCause() : ex);
				}
				catch (CancellationException ex) {
					return CompletableFuture.failedFuture(ex);
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/** Returns the cause of a failed stage. */
	static Throwable cause(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
