package io.lockstarter.core;

import org.jspecify.annotations.Nullable;

/**
 * What goes wrong with a lock.
 */
public abstract class LockException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String lockName;

	protected LockException(String lockName, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.lockName = lockName;
	}

	/**
	 * Return the name of the lock concerned.
	 * @return the lock's name
	 */
	public String lockName() {
		return this.lockName;
	}

}
