package io.lockstarter.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener.Outcome;
import io.lockstarter.engine.lock.Waiter;
import org.jspecify.annotations.Nullable;

/**
 * Asynchronous acquisition of one lock with its promise. A granted lock that the promise
 * does not accept is released unused.
 */
final class Acquisition {

	private final Outcomes outcomes;

	private final Completions completions;

	private final CompletableFuture<LockHandle> promise = new CompletableFuture<>();

	/** Context captured from the requesting thread, in which callbacks run. */
	private final Executor context;

	private volatile @Nullable DefaultLockHandle handle;

	Acquisition(Outcomes outcomes, Completions completions) {
		this.outcomes = outcomes;
		this.completions = completions;
		this.context = completions.context();
	}

	/** Returns the promise of the lock. */
	CompletableFuture<LockHandle> promise() {
		return this.promise;
	}

	/**
	 * Starts the request, unless its promise is already done. Never throws.
	 * @param request the request, which calls {@link #completed} once it has completed
	 * @param enter adds the request to the locks and schedules its deadline
	 */
	void start(Waiter request, Runnable enter) {
		if (this.promise.isDone()) {
			return;
		}
		// A caller who completes or cancels the promise no longer needs the lock.
		this.promise.whenComplete((handle, failure) -> withdraw(request));
		try {
			enter.run();
		}
		catch (Throwable ex) {
			this.promise.completeExceptionally(ex);
		}
		if (this.promise.isDone()) {
			// The promise was completed before the request could be withdrawn.
			withdraw(request);
		}
	}

	private static void withdraw(Waiter waiter) {
		if (waiter.withdraw()) {
			waiter.refused();
		}
	}

	/**
	 * Completes the promise of a completed request. The promise is never completed on the
	 * thread that delivered the reply, because the caller's code may block.
	 */
	void completed(Waiter request) {
		this.completions.run(() -> this.context.execute(() -> fulfil(request)), (refusal) -> refuse(request, refusal));
	}

	/**
	 * Handles a rejected callback: completes an unsuccessful request on this thread, and
	 * releases a granted lock unused.
	 */
	private void refuse(Waiter waiter, Throwable cause) {
		if (waiter.granted() == null) {
			this.context.execute(() -> fulfil(waiter));
		}
		else {
			releaseUnused(waiter, cause);
		}
	}

	private void fulfil(Waiter waiter) {
		try {
			deliver(waiter);
		}
		catch (Throwable ex) {
			releaseUnused(waiter, ex);
		}
	}

	private void deliver(Waiter waiter) {
		Throwable failure = waiter.failure();
		Waiter.Granted granted = waiter.granted();
		if (failure != null) {
			this.outcomes.failed(waiter, failure);
			this.promise.completeExceptionally(failure);
		}
		else if (granted == null) {
			this.outcomes.notAcquired(waiter, this.promise.isDone() ? Outcome.CANCELLED : Outcome.TIMEOUT);
			this.promise.completeExceptionally(Outcomes.timeout(waiter));
		}
		else {
			DefaultLockHandle given = handle(granted);
			given.callerContext(this.context);
			this.outcomes.acquired(waiter, granted.kind(), given);
			if (!this.promise.complete(given)) {
				given.abandon();
			}
		}
	}

	/**
	 * Returns the handle of the grant, always the same object, so that the lock is
	 * released only once.
	 */
	private DefaultLockHandle handle(Waiter.Granted granted) {
		DefaultLockHandle known = this.handle;
		if (known == null) {
			known = this.outcomes.handle(granted);
			this.handle = known;
		}
		return known;
	}

	/**
	 * Releases a grant that could not be delivered to the caller, unless the caller
	 * already has the handle.
	 */
	private void releaseUnused(Waiter waiter, Throwable cause) {
		if (this.promise.isDone() && !this.promise.isCompletedExceptionally()) {
			return;
		}
		Waiter.Granted unused = waiter.granted();
		if (unused != null) {
			handle(unused).abandonSilently();
		}
		this.outcomes.notAcquired(waiter, Outcome.ERROR);
		this.promise.completeExceptionally(new LockBackendException(waiter.request().name(),
				LockBackendException.Reason.JVM_EXHAUSTED, String.valueOf(cause.getMessage()), cause));
	}

}
