package io.lockstarter.core;

/**
 * One who holds a lock as a reader wanted it for himself alone. To wait for that would be
 * a deadlock as soon as two readers do it.
 */
public class LockUpgradeException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Report an attempt to turn a read lock into a write lock.
	 * @param lockName the lock's name
	 * @param owner who holds the read lock
	 */
	public LockUpgradeException(String lockName, LockOwner owner) {
		super(lockName,
				("Lock '%s' is held as a reader by this owner (%s) and cannot be turned into a write lock: release the"
						+ " read lock first, or take the write lock from the beginning")
					.formatted(lockName, owner),
				null);
	}

}
