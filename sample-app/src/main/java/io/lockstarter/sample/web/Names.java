package io.lockstarter.sample.web;

import java.util.Locale;
import java.util.regex.Pattern;

import io.lockstarter.sample.boxoffice.InvalidOrderException;

/**
 * Checks names before a lock is taken for them or a row is written with them.
 */
final class Names {

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
					"A customer's name has at most %d characters, not %d.", CUSTOMER_LENGTH, name.length()));
		}
		if (UNPRINTABLE.matcher(name).find()) {
			throw new InvalidOrderException("A customer's name has only characters that can be printed.");
		}
		return name.strip();
	}

	static String seat(String name) {
		if (!SEAT.matcher(name).matches()) {
			throw new InvalidOrderException("A seat is called by a row and a number, such as A1.");
		}
		return name;
	}

}
