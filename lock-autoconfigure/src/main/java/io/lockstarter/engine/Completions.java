package io.lockstarter.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lockstarter.core.CallerContext;
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

	Completions(Callbacks callbacks, CallerContext callerContext, Timer timer) {
		this.callbacks = callbacks;
		this.callerContext = new GuardedContext(callerContext);
		this.timer = timer;
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
