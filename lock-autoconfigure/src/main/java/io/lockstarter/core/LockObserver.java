package io.lockstarter.core;

import org.jspecify.annotations.Nullable;

/**
 * Accompanies requests for locks from their beginning to the end of their holds, as
 * traces do; a {@link LockListener} only hears what came of them. All observer beans are
 * called. Methods must be quick; what they throw is logged and goes no further.
 * Re-entries are not observed. Must be thread-safe. They are called on the same threads
 * as a {@link LockListener}, except for a loss, which is told on the thread that logs it.
 */
public interface LockObserver {

	/**
	 * A request begins, on the calling thread.
	 * @param request what is asked for
	 * @return what accompanies the request, or {@code null} if nothing does
	 */
	@Nullable Wait requested(LockRequest request);

	/**
	 * Accompanies one request until it is settled, which may be on another thread.
	 */
	interface Wait {

		/**
		 * The lock was acquired.
		 * @param lock the hold
		 * @return what accompanies the hold, or {@code null} if nothing does
		 */
		@Nullable Span acquired(LockHandle lock);

		/**
		 * The lock was not acquired.
		 * @param outcome how the request ended
		 * @param cause what went wrong, if anything did
		 */
		void notAcquired(LockListener.Outcome outcome, @Nullable Throwable cause);

	}

	/**
	 * Accompanies one hold until it ends, which may be on another thread.
	 */
	interface Span {

		/**
		 * The lock was released.
		 */
		void released();

		/**
		 * The lock was lost.
		 * @param loss when and why
		 */
		void lost(LockLoss loss);

	}

}
