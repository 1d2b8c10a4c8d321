package io.lockstarter.autoconfigure;

/**
 * The configured lock backend lacks something it needs.
 */
class NoLockBackendException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String action;

	NoLockBackendException(String problem, String action) {
		super(problem);
		this.action = action;
	}

	String action() {
		return this.action;
	}

}
