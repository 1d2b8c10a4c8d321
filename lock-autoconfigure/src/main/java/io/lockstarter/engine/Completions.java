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
 * Completes what users wait for: later if need be, on threads on which they may block,
 * and with what belongs to them.
 */
final class Completions {

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

	/** Take along what belongs to the calling thread. */
	Executor context() {
		return this.callerContext.capture();
	}

	/**
	 * Run what belongs to the user, who may block.
	 * @param refused is told instead why no thread can be had
	 */
	void run(Runnable action, Consumer<Throwable> refused) {
		this.callbacks.run(action, refused);
	}

	/** What tells the time. */
	Timer timer() {
		return this.timer;
	}

	/** Try again in a moment what could not be done. */
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
	 * Completes as another future, on a thread on which its receiver may block, and fails
	 * with the cause alone.
	 */
	<T> CompletableFuture<T> handOver(CompletableFuture<T> inner) {
		CompletableFuture<T> outer = new CompletableFuture<>();
		inner.whenComplete((value, failure) -> {
			Throwable cause = (failure != null) ? Commands.cause(failure) : null;
			run(() -> complete(outer, value, cause), (refusal) -> complete(outer, value, cause));
		});
		return outer;
	}

	/** Fails the promise of a request that cannot be made, instead of throwing. */
	static <T> CompletableFuture<T> guarded(Supplier<CompletableFuture<T>> request) {
		try {
			return request.get();
		}
		catch (IllegalArgumentException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/** Complete a promise, which lets go on who waits for it. */
	private static <T> void complete(CompletableFuture<T> promise, @Nullable T value, @Nullable Throwable failure) {
		if (failure != null) {
			promise.completeExceptionally(failure);
		}
		else {
			promise.complete(value);
		}
	}

}
