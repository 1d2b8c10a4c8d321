package io.lockstarter.engine;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lockstarter.core.CallerContext;
import io.lockstarter.core.LockLostException;
import io.lockstarter.engine.command.Commands;
import io.lockstarter.timer.Timer;
import io.lockstarter.engine.event.Callbacks;
import io.lockstarter.engine.event.GuardedContext;
import org.jspecify.annotations.Nullable;

/**
 * Completion of users' futures on threads that may block, in the context of the caller.
 */
final class Completions {

	/** Delay before an action is retried: 100 ms. */
	private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final Callbacks callbacks;

	private final CallerContext callerContext;

	private final Timer timer;

	private final boolean sendsReleases;

	/**
	 * Creates the completions of a registry.
	 * @param sendsReleases whether threads do not wait for the replies to their releases
	 */
	Completions(Callbacks callbacks, CallerContext callerContext, Timer timer, boolean sendsReleases) {
		this.callbacks = callbacks;
		this.callerContext = new GuardedContext(callerContext);
		this.timer = timer;
		this.sendsReleases = sendsReleases;
	}

	/** Captures the context of the calling thread. */
	Executor context() {
		return this.callerContext.capture();
	}

	/**
	 * Runs a callback of the user, which may block.
	 * @param refused is called instead with the cause, if no thread can be started
	 */
	void run(Runnable action, Consumer<Throwable> refused) {
		this.callbacks.run(action, refused);
	}

	/** Returns the timer of the registry. */
	Timer timer() {
		return this.timer;
	}

	/** Retries an action after 100 ms. */
	void later(Runnable action) {
		this.timer.in(RETRY_NANOS, action);
	}

	/**
	 * Ends the release of a thread: waits for the backend's reply, or leaves the reply to
	 * the callbacks if releases are only sent. A release that has failed already throws
	 * in both cases.
	 * @param released completes with the notification of listeners
	 * @param context where listeners are notified if the thread does not wait
	 */
	void endRelease(CompletableFuture<Runnable> released, Supplier<Executor> context) {
		if (this.sendsReleases && !released.isDone()) {
			completeRelease(new CompletableFuture<>(), released, context.get());
		}
		else {
			awaitRelease(released);
		}
	}

	/**
	 * Waits for a release, which the command timeout bounds, and notifies listeners.
	 * Errors get the caller's stack trace.
	 */
	static void awaitRelease(CompletableFuture<Runnable> released) {
		try {
			released.join().run();
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof LockLostException lost) {
				throw new LockLostException(lost);
			}
			throw ex;
		}
	}

	/**
	 * Completes a promise with the outcome of a release, after listeners were notified
	 * where they may block. If no thread is available, the calling thread notifies them.
	 */
	void completeRelease(CompletableFuture<@Nullable Void> promise, CompletableFuture<Runnable> released,
			Executor context) {
		released.whenComplete((notification, failure) -> {
			Runnable complete = () -> complete(promise, notification, failure);
			run(() -> context.execute(complete), (refusal) -> complete.run());
		});
	}

	private static void complete(CompletableFuture<@Nullable Void> promise, @Nullable Runnable notification,
			@Nullable Throwable failure) {
		if (notification != null) {
			notification.run();
			promise.complete(null);
		}
		else {
			promise.completeExceptionally(Objects.requireNonNull(failure));
		}
	}

	/**
	 * Returns a future that completes like another one, but on a thread that may block,
	 * and that fails with the unwrapped cause.
	 */
	<T> CompletableFuture<T> handOver(CompletableFuture<T> inner) {
		CompletableFuture<T> outer = new CompletableFuture<>();
		inner.whenComplete((value, failure) -> {
			Throwable cause = (failure != null) ? Commands.cause(failure) : null;
			run(() -> complete(outer, value, cause), (refusal) -> complete(outer, value, cause));
		});
		return outer;
	}

	/**
	 * Returns the promise of a request, or a failed promise if the request is invalid.
	 */
	static <T> CompletableFuture<T> guarded(Supplier<CompletableFuture<T>> request) {
		try {
			return request.get();
		}
		catch (IllegalArgumentException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private static <T> void complete(CompletableFuture<T> promise, @Nullable T value, @Nullable Throwable failure) {
		if (failure != null) {
			promise.completeExceptionally(failure);
		}
		else {
			promise.complete(value);
		}
	}

}
