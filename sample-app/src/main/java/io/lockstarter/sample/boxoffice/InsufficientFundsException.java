package io.lockstarter.sample.boxoffice;

/**
 * The account does not hold the amount.
 */
public class InsufficientFundsException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	InsufficientFundsException(String account, int balance, int amount) {
		super("%s has %d, which is less than %d.".formatted(account, balance, amount));
	}

}
