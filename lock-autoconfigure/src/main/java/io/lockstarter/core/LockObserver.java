package io.lockstarter.core;

import org.jspecify.annotations.Nullable;

/**
 * Observer of lock requests, from their beginning to the end of their holds, as traces
 * need it; a {@link LockListener} is notified only of outcomes. All observer beans are
 * called, on the same threads as a {@link LockListener}, except for a loss, which is
 * reported on the thread that logs it. Methods must return quickly. Their exceptions are
 * logged and not propagated. Re-entries are not observed. Implementations must be
 * thread-safe.
 */
public interface LockObserver {

	/**
	 * Called when a request begins, on the calling thread.
	 * @param request the request
	 * @return the observer of the request, or {@code null} for none
	 */
	@Nullable Wait requested(LockRequest request);

	/**
	 * Observer of one request until it completes, possibly on another thread.
	 */
	interface Wait {

		/**
		 * Called when the lock was acquired.
		 * @param lock the hold
		 * @return the observer of the hold, or {@code null} for none
		 */
		@Nullable Span acquired(LockHandle lock);

		/**
		 * Called when the lock was not acquired.
		 * @param outcome the outcome of the request
		 * @param cause the failure, if any
		 */
		void notAcquired(LockListener.Outcome outcome, @Nullable Throwable cause);

	}

	/**
	 * Observer of one hold until it ends, possibly on another thread.
	 */
	interface Span {

		/**
		 * Called when the lock was released.
		 */
		void released();

		/**
		 * Called when the lock was lost.
		 * @param loss the loss
		 */
		void lost(LockLoss loss);

	}

}
