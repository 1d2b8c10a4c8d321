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

	private static final PendingFutures PENDING = new PendingFutures();

	private Futures() {
	}

	/**
	 * Returns a result as a stage. A future that is none tells nobody when it is done,
	 * and is looked at by a thread that all of them share. Where none can be started, the
	 * calling one waits: the lock must not be released while the work goes on.
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

	/** What follows may take its time, and must not keep the shared thread. */
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
