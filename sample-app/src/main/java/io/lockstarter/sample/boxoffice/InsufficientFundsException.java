package io.lockstarter.sample.boxoffice;

import java.util.Locale;

/**
 * Failure of a transfer because the payer's balance is lower than the amount.
 */
public class InsufficientFundsException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	InsufficientFundsException(String account, int balance, int amount) {
		super(String.format(Locale.ROOT, "%s has %d, which is less than %d.", account, balance, amount));
	}

}
