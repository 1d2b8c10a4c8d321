package io.lockstarter.engine;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionException;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockListener.Outcome;
import io.lockstarter.core.LockObserver;
import io.lockstarter.core.LockRegistryClosedException;
import io.lockstarter.core.LockUpgradeException;
import io.lockstarter.engine.event.Listeners;
import io.lockstarter.engine.lock.GrantKind;
import io.lockstarter.engine.lock.Waiter;
import org.jspecify.annotations.Nullable;

/**
 * Conversion of completed requests into handles or exceptions, with notification of
 * listeners and observers.
 */
final class Outcomes {

	private final Listeners listeners;

	private final Completions completions;

	Outcomes(Listeners listeners, Completions completions) {
		this.listeners = listeners;
		this.completions = completions;
	}

	/** Returns whether there are observers. */
	boolean areObserved() {
		return this.listeners.observe();
	}

	/** Begins to observe a request. */
	void begin(Waiter waiter) {
		waiter.observe(this.listeners.observers().requested(waiter.request()));
	}

	/**
	 * Converts a completed request.
	 * @return its handle, or {@code null} if the lock was not acquired
	 * @throws RuntimeException if the request failed, with the stack trace of the caller
	 */
	@Nullable DefaultLockHandle of(Waiter completed) {
		Throwable failure = completed.failure();
		if (failure != null) {
			failed(completed, failure);
			throw fromHere(completed, failure);
		}
		Waiter.Granted granted = completed.granted();
		if (granted == null) {
			notAcquired(completed, Outcome.TIMEOUT);
			return null;
		}
		DefaultLockHandle handle = handle(granted);
		acquired(completed, granted.kind(), handle);
		return handle;
	}

	/** Creates the handle of a grant. */
	DefaultLockHandle handle(Waiter.Granted granted) {
		return new DefaultLockHandle(granted.hold(), this.completions);
	}

	/** Notifies listeners and observers that a request has acquired the lock. */
	void acquired(Waiter waiter, GrantKind kind, DefaultLockHandle handle) {
		if (!this.listeners.isEmpty() && kind != GrantKind.REENTERED) {
			this.listeners.acquired(handle, waiter.waited(), kind == GrantKind.HANDED_OVER);
		}
		LockObserver.Wait observed = waiter.observed();
		LockObserver.Span span = (observed != null) ? observed.acquired(handle) : null;
		if (span != null && kind == GrantKind.REENTERED) {
			// The request waited for a hold that another request of its owner acquired.
			span.released();
		}
		else if (span != null) {
			handle.observe(span);
		}
	}

	/** Notifies listeners and observers that a request has failed. */
	void failed(Waiter waiter, Throwable failure) {
		notAcquired(waiter, (failure instanceof LockRegistryClosedException) ? Outcome.CLOSED : Outcome.ERROR);
	}

	/** Notifies listeners and observers that a request has not acquired the lock. */
	void notAcquired(Waiter waiter, Outcome outcome) {
		Duration waited = waiter.waited();
		this.listeners.notAcquired(waiter.request(), outcome, waited);
		LockObserver.Wait observed = waiter.observed();
		if (observed != null) {
			observed.notAcquired(outcome, waiter.isCompleted() ? waiter.failure() : null);
		}
	}

	/** Returns the failure with the stack trace of the calling thread. */
	private static RuntimeException fromHere(Waiter waiter, Throwable failure) {
		if (failure instanceof LockBackendException known) {
			return new LockBackendException(known.lockName(), known.reason(), known.detail(), known.mayHaveRun(),
					known);
		}
		if (failure instanceof LockRegistryClosedException) {
			return new LockRegistryClosedException(waiter.request());
		}
		if (failure instanceof LockUpgradeException known) {
			return new LockUpgradeException(known);
		}
		return new CompletionException(Objects.requireNonNull(failure));
	}

	static LockAcquisitionTimeoutException timeout(Waiter waiter) {
		return new LockAcquisitionTimeoutException(waiter.request(), waiter.waited(), waiter.holder());
	}

}
