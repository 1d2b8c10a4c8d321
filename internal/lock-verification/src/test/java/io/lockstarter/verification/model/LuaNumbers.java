package io.lockstarter.verification.model;

/**
 * Conversion of Lua numbers to text as in Redis.
 */
final class LuaNumbers {

	private LuaNumbers() {
	}

	static String text(double number) {
		return (number == Math.rint(number) && Math.abs(number) < 1e17) ? Long.toString((long) number)
				: "%.17g".formatted(number);
	}

}
