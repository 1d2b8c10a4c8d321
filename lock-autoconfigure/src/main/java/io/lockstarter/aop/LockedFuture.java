package io.lockstarter.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * Result of a method that runs after its lock was acquired, completed after the release.
 * Cancelling it withdraws the request for the lock, but does not cancel work that has
 * begun: the work's future would then be done, and the lock released, while the work may
 * continue.
 */
final class LockedFuture extends CompletableFuture<@Nullable Object> {

	private final LockCall call;

	private final LockContext outer;

	LockedFuture(LockCall call, LockContext outer) {
		this.call = call;
		this.outer = outer;
	}

	LockedFuture start() {
		CompletableFuture<LockHandle> acquisition = this.call.acquireAsync(this.outer);
		acquisition.whenComplete((lock, failure) -> {
			if (lock != null) {
				run(this.call.held(lock, this.outer));
			}
			else {
				goWithout(Futures.cause(failure));
			}
		});
		whenComplete((result, failure) -> acquisition.cancel(false));
		return this;
	}

	private void run(HeldLock lock) {
		if (isDone()) {
			lock.handle().releaseAsync();
			return;
		}
		CompletionStage<@Nullable Object> result;
		try (LockContext.Scope scope = lock.context().restore()) {
			result = Futures.stage(this.call.proceedLater());
		}
		catch (Throwable ex) {
			result = failedFuture(ex);
		}
		result.whenComplete((value, failure) -> release(lock, value, failure));
	}

	private void release(HeldLock lock, @Nullable Object value, @Nullable Throwable failure) {
		CompletionStage<@Nullable Void> released;
		try {
			released = lock.releaseAsync();
		}
		catch (Throwable ex) {
			released = failedFuture(ex);
		}
		released.whenComplete((nothing, releaseFailure) -> {
			if (failure != null && releaseFailure != null) {
				Futures.cause(failure).addSuppressed(Futures.cause(releaseFailure));
			}
			Throwable thrown = (failure != null) ? failure : releaseFailure;
			finish(value, (thrown != null) ? Futures.cause(thrown) : null);
		});
	}

	private void goWithout(Throwable failure) {
		CompletionStage<@Nullable Object> result;
		try {
			if (!(failure instanceof LockAcquisitionTimeoutException timeout)) {
				throw failure;
			}
			result = Futures.stage(this.call.withoutLock(timeout, null));
		}
		catch (Throwable ex) {
			result = failedFuture(ex);
		}
		result.whenComplete((value, thrown) -> finish(value, (thrown != null) ? Futures.cause(thrown) : null));
	}

	private void finish(@Nullable Object value, @Nullable Throwable failure) {
		if (failure != null) {
			completeExceptionally(failure);
		}
		else {
			complete(value);
		}
	}

	@Override
	public <U> CompletableFuture<U> newIncompleteFuture() {
		return new CompletableFuture<>();
	}

}
