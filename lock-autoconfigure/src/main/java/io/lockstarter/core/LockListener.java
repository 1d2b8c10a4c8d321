package io.lockstarter.core;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Hears what happens to locks in this JVM. All listener beans are called; what they throw
 * is logged and goes no further. Re-entries are not reported.
 * <p>
 * None of the threads that call a listener is one that locks need, so that a slow method
 * costs no lease:
 * <ul>
 * <li>{@link #acquired}, {@link #handedOver} and {@link #notAcquired} run on the thread
 * that waits for the lock, which goes on after them. Where none waits, as with
 * {@link LockRegistry#acquireAsync}, they run on a callback thread of the registry before
 * the future is completed.</li>
 * <li>{@link #released} and {@link #releaseUnconfirmed} run on the thread that releases
 * the lock and waits for that; else, as with {@link LockHandle#releaseAsync},
 * {@link LockHandle#releaseAfter} and {@code holdAtLeast}, on a callback thread.</li>
 * <li>{@link #renewed} and {@link #renewalFailed} run one after the other on a thread of
 * their own, after the event. A method that takes longer than a second is warned of, and
 * when too many events wait for it, later ones are dropped.</li>
 * <li>{@link #lost} has another thread of its own, and may take its time.</li>
 * <li>{@link #fenceCommitted} runs on the thread of the transaction, after its commit.
 * {@link #fenceRefused} has a thread of its own, and may take its time.</li>
 * </ul>
 * Only when the JVM cannot start a thread, and has none left for callbacks, may
 * {@link #notAcquired}, {@link #released} and {@link #releaseUnconfirmed} be called on
 * another thread.
 */
public interface LockListener {

	/**
	 * A lock was acquired.
	 * @param lock the hold
	 * @param waited how long it took
	 */
	default void acquired(LockHandle lock, Duration waited) {
	}

	/**
	 * A lock that was acquired just now had been handed over by its last holder in this
	 * JVM, without asking the backend. Follows {@link #acquired}.
	 * @param lock the hold
	 */
	default void handedOver(LockHandle lock) {
	}

	/**
	 * A lock was not acquired.
	 * @param request what was asked for
	 * @param outcome how it ended
	 * @param waited how long it took
	 */
	default void notAcquired(LockRequest request, Outcome outcome, Duration waited) {
	}

	/**
	 * A lock that was still held was released. When the backend did not confirm it,
	 * {@link #releaseUnconfirmed} follows.
	 * @param lock the hold, no longer valid
	 * @param held how long it had been held
	 */
	default void released(LockHandle lock, Duration held) {
	}

	/**
	 * A release was not confirmed by the backend in time: there was no answer, and the
	 * backend is told again until the lease has ended, or the backend carried it out only
	 * after that. The lock protected its holder until the release began.
	 * @param lock the hold, no longer valid
	 * @param cause what went wrong
	 */
	default void releaseUnconfirmed(LockHandle lock, Throwable cause) {
	}

	/**
	 * The watchdog renewed a lease.
	 * @param lock the hold
	 */
	default void renewed(LockHandle lock) {
	}

	/**
	 * An attempt to renew a lease failed; it is repeated until the lease ends.
	 * @param lock the hold
	 * @param cause what went wrong
	 */
	default void renewalFailed(LockHandle lock, @Nullable Throwable cause) {
	}

	/**
	 * A lock was lost while it was held.
	 * @param loss what was lost, when and why
	 */
	default void lost(LockLoss loss) {
	}

	/**
	 * A transaction was committed after the database had verified the token of a fenced
	 * lock.
	 * @param lock the hold
	 */
	default void fenceCommitted(LockHandle lock) {
	}

	/**
	 * The database refused the token of a fenced lock.
	 * @param refusal what was refused, when and why
	 */
	default void fenceRefused(FenceRefusal refusal) {
	}

	/**
	 * How a request ends that does not get its lock.
	 */
	enum Outcome {

		/** Not free in time. */
		TIMEOUT,
		/** The waiting thread was interrupted, or the future was cancelled. */
		CANCELLED,
		/** The backend failed. */
		ERROR,
		/** The registry closed. */
		CLOSED

	}

}
