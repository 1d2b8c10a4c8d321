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
 * Results that are completed later, as stages.
 */
final class Futures {

	private Futures() {
	}

	/**
	 * Return a result as a stage. A future that is none tells nobody when it is done: a
	 * thread of its own waits for it. Where none can be had, the calling one does: the
	 * lock must not be given back while the work goes on.
	 */
	@SuppressWarnings("unchecked")
	static CompletionStage<@Nullable Object> stage(@Nullable Object result) {
		if (result instanceof CompletionStage<?> stage) {
			return (CompletionStage<@Nullable Object>) stage;
		}
		if (result instanceof Future<?> future && !future.isDone()) {
			return CompletableFuture.supplyAsync(() -> await(future), Futures::onNewThread).thenCompose((done) -> done);
		}
		return (result instanceof Future<?> future) ? await(future) : CompletableFuture.completedFuture(result);
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
	 * Wait until a future is done, keeping an interrupt for later: the lock must not be
	 * given back while the work goes on.
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

	/** What failed, without the wrapping of stages. */
	static Throwable cause(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
