package io.lockstarter.core;

import java.util.Objects;

/**
 * Thrown when an owner that holds a lock as a reader or by a permit requests the same
 * lock exclusively, or when a reader requests a permit. Waiting for that would be a
 * deadlock as soon as two owners do so.
 */
public class LockUpgradeException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception for an attempt to upgrade a read lock to a write lock.
	 * @param lockName the lock's name
	 * @param owner the owner of the read lock
	 */
	public LockUpgradeException(String lockName, LockOwner owner) {
		this(LockRequest.of(lockName), owner);
	}

	/**
	 * Creates an exception for such an attempt in one of several registries.
	 * @param request the request
	 * @param owner the owner of the read lock
	 */
	public LockUpgradeException(LockRequest request, LockOwner owner) {
		super(request.name(),
				("%s is held as a reader by this owner (%s) and cannot be upgraded to a write lock: release the"
						+ " read lock first, or acquire the write lock from the beginning")
					.formatted(request.text(), owner),
				null);
	}

	/**
	 * Creates a copy of an exception of another thread, with the stack trace of the
	 * calling thread.
	 * @param known the other thread's exception
	 */
	public LockUpgradeException(LockUpgradeException known) {
		super(known.lockName(), Objects.requireNonNull(known.getMessage()), null);
	}

	/**
	 * Creates an exception for an attempt to change a share of a lock.
	 * @param lockName the lock's name
	 * @param owner the owner of the share
	 * @param held a description of the hold
	 * @param wanted a description of the request
	 */
	public LockUpgradeException(String lockName, LockOwner owner, String held, String wanted) {
		this(LockRequest.of(lockName), owner, held, wanted);
	}

	/**
	 * Creates an exception for such an attempt in one of several registries.
	 * @param request the request
	 * @param owner the owner of the share
	 * @param held a description of the hold
	 * @param wanted a description of the request
	 */
	public LockUpgradeException(LockRequest request, LockOwner owner, String held, String wanted) {
		super(request.name(), "%s is held %s by this owner (%s) and cannot be acquired %s meanwhile: release it first"
			.formatted(request.text(), held, owner, wanted), null);
	}

}
