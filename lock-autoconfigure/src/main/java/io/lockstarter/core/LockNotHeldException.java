package io.lockstarter.core;

/**
 * Thrown when an owner that does not hold a lock tries to release or extend it, or to get
 * its token. The owner never held the lock, or has already released it.
 */
public class LockNotHeldException extends IllegalMonitorStateException {

	private static final long serialVersionUID = 1L;

	private final String lockName;

	/**
	 * Creates an exception.
	 * @param lockName the lock's name
	 * @param owner the owner that does not hold the lock
	 */
	public LockNotHeldException(String lockName, LockOwner owner) {
		this(LockRequest.of(lockName), owner);
	}

	/**
	 * Creates an exception for a lock of one of several registries.
	 * @param request the request for the lock
	 * @param owner the owner that does not hold the lock
	 */
	public LockNotHeldException(LockRequest request, LockOwner owner) {
		super(OneLine.of("%s is not held by this owner (%s): release it once, from the owner that acquired it"
			.formatted(request.text(), owner)));
		this.lockName = request.name();
	}

	/**
	 * Returns the name of the lock.
	 * @return the lock's name
	 */
	public String lockName() {
		return this.lockName;
	}

}
