package io.lockstarter.verification.model;

/**
 * How Redis writes a number of Lua.
 */
final class LuaNumbers {

	private LuaNumbers() {
	}

	static String text(double number) {
		return (number == Math.rint(number) && Math.abs(number) < 1e17) ? Long.toString((long) number)
				: "%.17g".formatted(number);
	}

}
