package io.lockstarter.autoconfigure;

/**
 * Thrown when locks cannot be set up as configured.
 */
class LockSetupException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String action;

	LockSetupException(String problem, String action) {
		super(problem);
		this.action = action;
	}

	String action() {
		return this.action;
	}

}
