package io.lockstarter.core;

/**
 * The application is shutting down, and its registry grants no more locks.
 */
public class LockRegistryClosedException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Report a request that came too late, or was waiting when the registry closed.
	 * @param lockName the lock's name
	 */
	public LockRegistryClosedException(String lockName) {
		this(LockRequest.of(lockName));
	}

	/**
	 * Report the same of one of several registries.
	 * @param request what was asked for
	 */
	public LockRegistryClosedException(LockRequest request) {
		super(request.name(), "%s was not acquired: the application is shutting down and grants no more locks"
			.formatted(request.text()), null);
	}

}
