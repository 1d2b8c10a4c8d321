package io.lockstarter.core;

/**
 * Thrown when the application is shutting down, so that its registry grants no more
 * locks.
 */
public class LockRegistryClosedException extends LockException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception for a request that came too late, or waited when the registry
	 * closed.
	 * @param lockName the lock's name
	 */
	public LockRegistryClosedException(String lockName) {
		this(LockRequest.of(lockName));
	}

	/**
	 * Creates an exception for a request to one of several registries.
	 * @param request the request
	 */
	public LockRegistryClosedException(LockRequest request) {
		super(request.name(), "%s was not acquired: the application is shutting down and grants no more locks"
			.formatted(request.text()), null);
	}

}
