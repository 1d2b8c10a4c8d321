package io.lockstarter.core;

import org.jspecify.annotations.Nullable;

/**
 * The common class of all exceptions about a lock but {@link LockNotHeldException}.
 *
 * @see LockFailure
 */
public abstract class LockException extends RuntimeException implements LockFailure {

	private static final long serialVersionUID = 1L;

	private final String lockName;

	protected LockException(String lockName, String message, @Nullable Throwable cause) {
		super(OneLine.of(message), cause);
		this.lockName = lockName;
	}

	@Override
	public String lockName() {
		return this.lockName;
	}

}
