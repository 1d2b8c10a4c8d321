package io.lockstarter.core;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the key, the number of permits or the condition of an annotated method
 * cannot be used for a call: its value is not allowed, or it cannot be evaluated. The
 * method was not run.
 */
public class LockKeyException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception for a key that names no lock.
	 * @param lockName the static part of the lock's name
	 * @param message the problem, with the method and the expression
	 * @param cause the failure of the evaluation, if any
	 */
	public LockKeyException(String lockName, String message, @Nullable Throwable cause) {
		super(lockName, message, cause);
	}

}
