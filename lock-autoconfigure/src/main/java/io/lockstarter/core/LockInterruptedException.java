package io.lockstarter.core;

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
	 * @param cause the interrupt
	 */
	public LockInterruptedException(String lockName, InterruptedException cause) {
		super(lockName, "Lock '%s' was not acquired: the waiting thread was interrupted".formatted(lockName), cause);
	}

}
