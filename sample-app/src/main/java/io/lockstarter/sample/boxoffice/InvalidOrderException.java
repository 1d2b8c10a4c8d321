package io.lockstarter.sample.boxoffice;

/**
 * Failure of an order that is invalid, regardless of the state of the box office.
 */
public class InvalidOrderException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Creates an exception.
	 * @param message the reason, for the customer
	 */
	public InvalidOrderException(String message) {
		super(message);
	}

}
