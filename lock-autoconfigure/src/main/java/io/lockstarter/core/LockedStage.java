package io.lockstarter.core;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * The result of work that begins when its lock is there, completed after the release.
 *
 * @param <T> what the work results in
 */
final class LockedStage<T extends @Nullable Object> extends CompletableFuture<T> {

	private final Supplier<? extends CompletionStage<T>> work;

	private final LockContext outer = LockContext.capture();

	private volatile @Nullable CompletionStage<T> stage;

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
		whenComplete((result, failure) -> {
			acquisition.cancel(false);
			passCancellationOn();
		});
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
		this.stage = begun;
		passCancellationOn();
		begun.whenComplete((result, failure) -> release(lock, result, failure));
	}

	private void passCancellationOn() {
		if (isCancelled() && this.stage instanceof Future<?> future) {
			try {
				future.cancel(true);
			}
			catch (UnsupportedOperationException ex) {
				// A stage that cannot be cancelled: the lock is held until it is done.
			}
		}
	}

	private void release(LockHandle lock, T result, @Nullable Throwable failure) {
		CompletionStage<@Nullable Void> release;
		try {
			release = lock.releaseAsync();
		}
		catch (RuntimeException ex) {
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
