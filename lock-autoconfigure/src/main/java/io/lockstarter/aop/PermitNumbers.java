package io.lockstarter.aop;

import java.math.BigDecimal;

import org.jspecify.annotations.Nullable;

/**
 * Conversion of expression values into numbers of permits.
 */
final class PermitNumbers {

	private PermitNumbers() {
	}

	/**
	 * Returns the number of permits, or {@code null} if the value is not a whole number
	 * of at least 1.
	 */
	static @Nullable Integer of(@Nullable Object value) {
		if (!(value instanceof Number)) {
			return null;
		}
		try {
			int number = new BigDecimal(value.toString()).intValueExact();
			return (number >= 1) ? number : null;
		}
		catch (NumberFormatException | ArithmeticException ex) {
			// The number is not whole, not finite, or too large.
			return null;
		}
	}

}
