package io.lockstarter.verification.history.recording;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names of locks that contain the number of permits.
 */
public final class PermitKeys {

	private static final Pattern NAME = Pattern.compile("permits-(?<exclusive>or-exclusive-)?(?<number>\\d+)");

	private PermitKeys() {
	}

	/**
	 * Returns the name of a lock that has only requests for permits.
	 * @param permits the number of permits
	 * @return the name
	 */
	public static String only(int permits) {
		return "permits-" + permits;
	}

	/**
	 * Returns the name of a lock with permits that also has exclusive requests.
	 * @param permits the number of permits
	 * @return the name
	 */
	public static String orExclusive(int permits) {
		return "permits-or-exclusive-" + permits;
	}

	/**
	 * Returns the number of permits of a lock.
	 * @param key the lock's name
	 * @return the number, 1 for a lock without permits
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
	 * Returns whether a lock with permits also has exclusive requests.
	 * @param key the lock's name
	 * @return {@code true} if so
	 */
	public static boolean isOrExclusive(String key) {
		Matcher name = NAME.matcher(key);
		return name.matches() && name.group("exclusive") != null;
	}

}
