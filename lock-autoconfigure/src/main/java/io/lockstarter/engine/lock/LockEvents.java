package io.lockstarter.engine.lock;

import io.lockstarter.core.LockLoss;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.engine.lease.Moment;
import org.jspecify.annotations.Nullable;

/**
 * What a lock is told by those who carry out what its machine has decided. Thread-safe.
 */
interface LockEvents {

	/** The name of the lock. */
	String name();

	/**
	 * A question has been answered, or has failed.
	 * @param start the moment before it was sent, or {@code null} if it was not
	 */
	void answered(Effect.SendAcquire question, @Nullable Moment start, LockBackend.@Nullable AcquireReply answer,
			@Nullable Throwable failure);

	/** A release has been answered, or has failed. */
	void released(Effect.SendRelease release, Moment start, Release.@Nullable Reply reply, @Nullable Throwable failure);

	/** It is time to ask again to let others in beside the one who wrote. */
	void downgradeAgain(Tenure written);

	/** It is time to ask again although no wake-up has come. */
	void recheck();

	/** A tenure has ended by itself, or was found to have ended. */
	void lose(Tenure lost, LockLoss.Reason reason);

	/** A single hold ends, while its tenure may go on for others. */
	void lose(Hold lost, LockLoss.Reason reason);

	/** Run something while nothing of this lock changes. */
	void whileUnchanged(Runnable action);

	/** Nothing is left of the name here. */
	void retired();

}
