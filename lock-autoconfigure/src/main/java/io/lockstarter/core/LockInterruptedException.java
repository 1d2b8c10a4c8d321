package io.lockstarter.core;

import org.jspecify.annotations.Nullable;

/**
 * The calling thread was interrupted while it waited for the lock, in a method that
 * cannot throw {@link InterruptedException}. It has no lock, and its interrupt flag is
 * set.
 */
public class LockInterruptedException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Report a wait that was ended by an interrupt.
	 * @param lockName the lock's name
	 * @param registry the registry that was asked, if there are several
	 * @param cause the interrupt
	 */
	public LockInterruptedException(String lockName, @Nullable String registry, InterruptedException cause) {
		super(lockName, LockRequest.text(lockName, registry) + " was not acquired: the waiting thread was interrupted",
				cause);
	}

}
