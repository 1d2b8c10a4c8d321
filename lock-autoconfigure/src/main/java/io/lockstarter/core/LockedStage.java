package io.lockstarter.core;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Result of asynchronous work under a lock, completed after the release. Cancelling the
 * result withdraws the request for the lock. Work that has begun is not cancelled: its
 * stage would complete at once, and the lock would be released while the work may still
 * run.
 *
 * @param <T> the type of the result
 */
final class LockedStage<T extends @Nullable Object> extends CompletableFuture<T> {

	private final Supplier<? extends CompletionStage<T>> work;

	private final LockContext outer = LockContext.capture();

	LockedStage(Supplier<? extends CompletionStage<T>> work) {
		this.work = work;
	}

	LockedStage<T> start(CompletableFuture<LockHandle> acquisition) {
		acquisition.whenComplete((lock, failure) -> {
			if (lock != null) {
				begin(lock);
			}
			else {
				completeExceptionally(cause(failure));
			}
		});
		whenComplete((result, failure) -> acquisition.cancel(false));
		return this;
	}

	private void begin(LockHandle lock) {
		if (isDone()) {
			lock.releaseAsync();
			return;
		}
		CompletionStage<T> begun;
		try (LockContext.Scope scope = this.outer.with(lock).restore()) {
			begun = this.work.get();
		}
		catch (Throwable ex) {
			begun = failedStage(ex);
		}
		begun.whenComplete((result, failure) -> release(lock, result, failure));
	}

	private void release(LockHandle lock, T result, @Nullable Throwable failure) {
		CompletionStage<@Nullable Void> release;
		try {
			release = lock.releaseAsync();
		}
		catch (Throwable ex) {
			release = failedStage(ex);
		}
		release.whenComplete((released, releaseFailure) -> {
			if (failure != null) {
				Throwable primary = cause(failure);
				if (releaseFailure != null) {
					primary.addSuppressed(cause(releaseFailure));
				}
				completeExceptionally(primary);
			}
			else if (releaseFailure != null) {
				completeExceptionally(cause(releaseFailure));
			}
			else {
				complete(result);
			}
		});
	}

	private static Throwable cause(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	@Override
	public <U> CompletableFuture<U> newIncompleteFuture() {
		return new CompletableFuture<>();
	}

}
