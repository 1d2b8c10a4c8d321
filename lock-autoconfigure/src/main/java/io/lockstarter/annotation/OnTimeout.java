package io.lockstarter.annotation;

/**
 * Outcome of a call whose lock is not free in time. The method is never run without the
 * lock.
 */
public enum OnTimeout {

	/** The call throws {@code LockAcquisitionTimeoutException}. */
	THROW,

	/**
	 * The call returns {@code null}, an empty {@code Optional}, a stage or future
	 * completed with {@code null}, or an empty publisher; the method is not run. Failures
	 * of the backend are thrown nevertheless. Not allowed for methods that return a
	 * primitive, a {@code Single} or a Kotlin type that is not nullable, which prevents
	 * the start.
	 */
	SKIP

}
