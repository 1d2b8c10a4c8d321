package io.lockstarter.core;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the calling thread was interrupted while it waited for a lock, in a method
 * that cannot throw {@link InterruptedException}. The thread does not hold the lock, and
 * its interrupt flag is set.
 */
public class LockInterruptedException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception for an interrupted wait.
	 * @param lockName the lock's name
	 * @param registry the registry of the request, or {@code null} if there is only one
	 * @param cause the interrupt
	 */
	public LockInterruptedException(String lockName, @Nullable String registry, InterruptedException cause) {
		super(lockName, LockRequest.text(lockName, registry) + " was not acquired: the waiting thread was interrupted",
				cause);
	}

}
