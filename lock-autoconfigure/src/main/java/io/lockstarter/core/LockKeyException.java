package io.lockstarter.core;

import org.jspecify.annotations.Nullable;

/**
 * The key of an annotated method, or its number of permits, cannot be used: it is empty,
 * {@code null}, or of a type without a stable text. The method was not run.
 */
public class LockKeyException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Report a key that names no lock.
	 * @param lockName the static part of the lock's name
	 * @param message what is wrong, naming the method and the expression
	 * @param cause the evaluation's failure, if there was one
	 */
	public LockKeyException(String lockName, String message, @Nullable Throwable cause) {
		super(lockName, message, cause);
	}

}
