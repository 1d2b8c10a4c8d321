package io.lockstarter.aop;

import java.math.BigDecimal;

import org.jspecify.annotations.Nullable;

/**
 * Numbers of permits among the values of expressions.
 */
final class PermitNumbers {

	private PermitNumbers() {
	}

	/** The number that a value is, or {@code null} if it is none of 1 or more. */
	static @Nullable Integer of(@Nullable Object value) {
		if (!(value instanceof Number)) {
			return null;
		}
		try {
			int number = new BigDecimal(value.toString()).intValueExact();
			return (number >= 1) ? number : null;
		}
		catch (NumberFormatException | ArithmeticException ex) {
			// Neither whole nor finite, or too large.
			return null;
		}
	}

}
