package io.lockstarter.sample.web;

import java.util.Locale;
import java.util.regex.Pattern;

import io.lockstarter.sample.boxoffice.InvalidOrderException;

/**
 * Validation of names that become part of a lock's name or of a row.
 */
final class Names {

	/** Maximum length of a customer's name in characters. */
	private static final int CUSTOMER_LENGTH = 40;

	private static final Pattern SEAT = Pattern.compile("[A-Z][1-9]");

	private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cs}\\p{Cn}\\p{Zl}\\p{Zp}]");

	private Names() {
	}

	static String customer(String name) {
		if (name.isBlank()) {
			throw new InvalidOrderException("A customer needs a name.");
		}
		if (name.length() > CUSTOMER_LENGTH) {
			throw new InvalidOrderException(String.format(Locale.ROOT,
					"A customer's name must have at most %d characters, but has %d.", CUSTOMER_LENGTH, name.length()));
		}
		if (UNPRINTABLE.matcher(name).find()) {
			throw new InvalidOrderException("A customer's name must consist of printable characters.");
		}
		return name.strip();
	}

	static String seat(String name) {
		if (!SEAT.matcher(name).matches()) {
			throw new InvalidOrderException("A seat must have a row and a number, such as A1.");
		}
		return name;
	}

}
