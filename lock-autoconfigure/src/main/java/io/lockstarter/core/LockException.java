package io.lockstarter.core;

import org.jspecify.annotations.Nullable;

/**
 * What goes wrong with a lock.
 */
public abstract class LockException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String lockName;

	protected LockException(String lockName, String message, @Nullable Throwable cause) {
		super(OneLine.of(message), cause);
		this.lockName = lockName;
	}

	/**
	 * Return the name of the lock concerned.
	 * @return the lock's name; {@link LockBackendException#NO_LOCK}, which is empty,
	 * where the backend failed at something that is not about a certain lock
	 */
	public String lockName() {
		return this.lockName;
	}

}
