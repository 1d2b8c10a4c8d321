package io.lockstarter.verification.history.recording;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names of locks that tell how many permits they have.
 */
public final class PermitKeys {

	private static final Pattern NAME = Pattern.compile("permits-(?<alone>or-alone-)?(?<number>\\d+)");

	private PermitKeys() {
	}

	/**
	 * Names a lock that nobody asks for without permits.
	 * @param permits how many it has
	 * @return the name
	 */
	public static String only(int permits) {
		return "permits-" + permits;
	}

	/**
	 * Names a lock that some ask for to be alone.
	 * @param permits how many the others may be
	 * @return the name
	 */
	public static String orAlone(int permits) {
		return "permits-or-alone-" + permits;
	}

	/**
	 * Returns how many permits a lock has.
	 * @param key the lock's name
	 * @return the number, 1 if it has none
	 */
	public static int permits(String key) {
		Matcher name = NAME.matcher(key);
		return name.matches() ? Integer.parseInt(name.group("number")) : 1;
	}

	/**
	 * Returns whether a lock has permits.
	 * @param key the lock's name
	 * @return {@code true} if so
	 */
	public static boolean isOne(String key) {
		return permits(key) > 1;
	}

	/**
	 * Returns whether some ask for a lock with permits to be alone.
	 * @param key the lock's name
	 * @return {@code true} if so
	 */
	public static boolean isOrAlone(String key) {
		Matcher name = NAME.matcher(key);
		return name.matches() && name.group("alone") != null;
	}

}
