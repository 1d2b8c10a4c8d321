package io.lockstarter.core;

import java.util.Objects;

/**
 * An owner that reads, or has a permit, asked to hold the same lock alone or with more
 * permits. To wait for that would be a deadlock as soon as two owners do it.
 */
public class LockUpgradeException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Report an attempt to turn a read lock into a write lock.
	 * @param lockName the lock's name
	 * @param owner who holds the read lock
	 */
	public LockUpgradeException(String lockName, LockOwner owner) {
		this(LockRequest.of(lockName), owner);
	}

	/**
	 * Report the same of one of several registries.
	 * @param request what was asked for
	 * @param owner who holds the read lock
	 */
	public LockUpgradeException(LockRequest request, LockOwner owner) {
		super(request.name(),
				("%s is held as a reader by this owner (%s) and cannot be turned into a write lock: release the"
						+ " read lock first, or take the write lock from the beginning")
					.formatted(request.text(), owner),
				null);
	}

	/**
	 * Report the same attempt with the stack trace of the calling thread.
	 * @param known the report of another thread
	 */
	public LockUpgradeException(LockUpgradeException known) {
		super(known.lockName(), Objects.requireNonNull(known.getMessage()), null);
	}

	/**
	 * Report an attempt to turn a share of a lock into something else.
	 * @param lockName the lock's name
	 * @param owner who holds it
	 * @param held what is held
	 * @param wanted what was asked for
	 */
	public LockUpgradeException(String lockName, LockOwner owner, String held, String wanted) {
		this(LockRequest.of(lockName), owner, held, wanted);
	}

	/**
	 * Report the same of one of several registries.
	 * @param request what was asked for
	 * @param owner who holds it
	 * @param held what is held
	 * @param wanted what was asked for
	 */
	public LockUpgradeException(LockRequest request, LockOwner owner, String held, String wanted) {
		super(request.name(), "%s is held %s by this owner (%s) and cannot be taken %s meanwhile: release it first"
			.formatted(request.text(), held, owner, wanted), null);
	}

}
