package io.lockstarter.core;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Listener for events of locks in this JVM. All listener beans are called. Exceptions of
 * a listener are logged and not propagated. Re-entries are not reported.
 * <p>
 * Listeners are never called on threads that locks need, so a slow listener costs no
 * lease:
 * <ul>
 * <li>{@link #acquired}, {@link #handedOver} and {@link #notAcquired} run on the thread
 * that waits for the lock, which continues after them. If no thread waits, as with
 * {@link LockRegistry#acquireAsync}, they run on a callback thread of the registry before
 * the future is completed.</li>
 * <li>{@link #released} and {@link #releaseUnconfirmed} run on the thread that releases
 * the lock and waits for that; otherwise, as with {@link LockHandle#releaseAsync},
 * {@link LockHandle#releaseAfter} and {@code holdAtLeast}, on a callback thread.</li>
 * <li>{@link #renewed} and {@link #renewalFailed} run one after another on a separate
 * thread, up to about 100 ms after the event. A warning is logged if a method takes
 * longer than a second. If too many events wait for a listener, later events are
 * dropped.</li>
 * <li>{@link #lost} runs on another separate thread, and may block.</li>
 * <li>{@link #fenceCommitted} runs on the thread of the transaction, after its commit.
 * {@link #fenceRefused} runs on a separate thread, and may block.</li>
 * </ul>
 * Only if the JVM cannot start a thread, and has none left for callbacks, may
 * {@link #notAcquired}, {@link #released} and {@link #releaseUnconfirmed} be called on
 * another thread.
 */
public interface LockListener {

	/**
	 * Called when a lock was acquired.
	 * @param lock the hold
	 * @param waited the time from the request to the acquisition
	 */
	default void acquired(LockHandle lock, Duration waited) {
	}

	/**
	 * Called when a lock was handed over by its last holder in this JVM, without a call
	 * to the backend. Follows {@link #acquired}.
	 * @param lock the hold
	 */
	default void handedOver(LockHandle lock) {
	}

	/**
	 * Called when a lock was not acquired.
	 * @param request the request
	 * @param outcome the outcome of the request
	 * @param waited the time from the request to its end
	 */
	default void notAcquired(LockRequest request, Outcome outcome, Duration waited) {
	}

	/**
	 * Called when a lock that was still held was released. If the backend did not confirm
	 * the release, {@link #releaseUnconfirmed} follows.
	 * @param lock the hold, no longer valid
	 * @param held the time for which the lock was held
	 */
	default void released(LockHandle lock, Duration held) {
	}

	/**
	 * Called when the backend did not confirm a release in time. Either there was no
	 * reply, and the release is repeated until the lease has ended; or the backend
	 * executed the release only after that. The lock protected its holder until the
	 * release began.
	 * @param lock the hold, no longer valid
	 * @param cause the failure
	 */
	default void releaseUnconfirmed(LockHandle lock, Throwable cause) {
	}

	/**
	 * Called when the watchdog renewed a lease.
	 * @param lock the hold
	 */
	default void renewed(LockHandle lock) {
	}

	/**
	 * Called when an attempt to renew a lease failed. Attempts are repeated until the
	 * lease ends.
	 * @param lock the hold
	 * @param cause the failure, if known
	 */
	default void renewalFailed(LockHandle lock, @Nullable Throwable cause) {
	}

	/**
	 * Called when a lock was lost while it was held.
	 * @param loss the loss
	 */
	default void lost(LockLoss loss) {
	}

	/**
	 * Called when a transaction was committed after the database had verified the token
	 * of a fenced lock.
	 * @param lock the hold
	 */
	default void fenceCommitted(LockHandle lock) {
	}

	/**
	 * Called when the database refused the token of a fenced lock.
	 * @param refusal the refusal
	 */
	default void fenceRefused(FenceRefusal refusal) {
	}

	/**
	 * Outcome of a request that does not acquire its lock.
	 */
	enum Outcome {

		/** The lock was not free in time. */
		TIMEOUT,
		/** The waiting thread was interrupted, or the future was cancelled. */
		CANCELLED,
		/** The backend failed. */
		ERROR,
		/** The registry closed. */
		CLOSED

	}

}
