package io.lockstarter.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener.Outcome;
import io.lockstarter.engine.lock.Waiter;
import org.jspecify.annotations.Nullable;

/**
 * One request for which no thread waits, and its promise. A lock that the promise does
 * not take is given back.
 */
final class Acquisition {

	private final Outcomes outcomes;

	private final Completions completions;

	private final CompletableFuture<LockHandle> promise = new CompletableFuture<>();

	/** What belongs to the thread that asks. */
	private final Executor context;

	private volatile @Nullable DefaultLockHandle handle;

	Acquisition(Outcomes outcomes, Completions completions) {
		this.outcomes = outcomes;
		this.completions = completions;
		this.context = completions.context();
	}

	/**
	 * Ask.
	 * @param request the request, which tells {@link #settled} once it is settled
	 * @param enter lets it enter, and sees to its deadline
	 */
	CompletableFuture<LockHandle> start(Waiter request, Runnable enter) {
		// Whoever completes the promise from outside does not want the lock any more.
		this.promise.whenComplete((handle, failure) -> withdraw(request));
		try {
			enter.run();
		}
		catch (Throwable ex) {
			this.promise.completeExceptionally(ex);
		}
		if (this.promise.isDone()) {
			// It was completed before there was anything to withdraw.
			withdraw(request);
		}
		return this.promise;
	}

	/** Ask on a thread that may block. */
	CompletableFuture<LockHandle> startElsewhere(Waiter request, Runnable enter) {
		this.completions.run(() -> {
			if (!this.promise.isDone()) {
				start(request, enter);
			}
		}, (refusal) -> start(request, enter));
		return this.promise;
	}

	private static void withdraw(Waiter waiter) {
		if (waiter.withdraw()) {
			waiter.refused();
		}
	}

	/**
	 * The request is settled. Its promise is not completed on the thread that brought the
	 * reply: the caller's code may block.
	 */
	void settled(Waiter request) {
		this.completions.run(() -> this.context.execute(() -> fulfil(request)), (refusal) -> refuse(request, refusal));
	}

	/** No thread can be had: the lock is given back, and a failure told all the same. */
	private void refuse(Waiter waiter, Throwable cause) {
		if (waiter.granted() == null) {
			this.context.execute(() -> fulfil(waiter));
		}
		else {
			giveBack(waiter, cause);
		}
	}

	private void fulfil(Waiter waiter) {
		try {
			answer(waiter);
		}
		catch (Throwable ex) {
			giveBack(waiter, ex);
		}
	}

	private void answer(Waiter waiter) {
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
			this.outcomes.acquired(waiter, granted.entry(), given);
			if (!this.promise.complete(given)) {
				given.abandon();
			}
		}
	}

	/** The same one whenever it is asked for: it is closed once. */
	private DefaultLockHandle handle(Waiter.Granted granted) {
		DefaultLockHandle known = this.handle;
		if (known == null) {
			known = this.outcomes.handle(granted);
			this.handle = known;
		}
		return known;
	}

	/** Nobody can be told of the lock, so nobody shall have it, unless somebody was. */
	private void giveBack(Waiter waiter, Throwable cause) {
		if (this.promise.isDone() && !this.promise.isCompletedExceptionally()) {
			return;
		}
		Waiter.Granted unused = waiter.granted();
		if (unused != null) {
			handle(unused).abandonUntold();
		}
		this.outcomes.notAcquired(waiter, Outcome.ERROR);
		this.promise.completeExceptionally(new LockBackendException(waiter.request().name(),
				LockBackendException.Reason.JVM_EXHAUSTED, String.valueOf(cause.getMessage()), cause));
	}

}
