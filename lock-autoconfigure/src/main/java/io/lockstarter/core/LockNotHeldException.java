package io.lockstarter.core;

/**
 * An owner that does not hold the lock wanted to release or extend it, or asked for its
 * token. This owner never held the lock, or has released it already.
 */
public class LockNotHeldException extends IllegalMonitorStateException {

	private static final long serialVersionUID = 1L;

	private final String lockName;

	/**
	 * Report a release by one who does not hold the lock.
	 * @param lockName the lock's name
	 * @param owner who tried to release it
	 */
	public LockNotHeldException(String lockName, LockOwner owner) {
		this(LockRequest.of(lockName), owner);
	}

	/**
	 * Report the same of one of several registries.
	 * @param request what the lock was asked for with
	 * @param owner who tried to release it
	 */
	public LockNotHeldException(LockRequest request, LockOwner owner) {
		super(OneLine.of("%s is not held by this owner (%s): release it once, from the owner that acquired it"
			.formatted(request.text(), owner)));
		this.lockName = request.name();
	}

	/**
	 * Returns the name of the lock concerned.
	 * @return the lock's name
	 */
	public String lockName() {
		return this.lockName;
	}

}
