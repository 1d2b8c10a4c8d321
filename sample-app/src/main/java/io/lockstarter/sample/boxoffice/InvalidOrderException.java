package io.lockstarter.sample.boxoffice;

/**
 * What was asked for makes no sense, whoever asks and whenever.
 */
public class InvalidOrderException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Refuse an order.
	 * @param message tells the customer why
	 */
	public InvalidOrderException(String message) {
		super(message);
	}

}
