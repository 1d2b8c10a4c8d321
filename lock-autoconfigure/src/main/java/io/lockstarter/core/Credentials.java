package io.lockstarter.core;

import java.util.regex.Pattern;

/**
 * User names and passwords in settings that messages quote, such as those of a URI.
 */
public final class Credentials {

	/** Up to the last @: a password may have one that should have been encoded. */
	private static final Pattern USER_INFO = Pattern.compile("^(\\s*[A-Za-z][A-Za-z0-9+.-]*://)?.*@", Pattern.DOTALL);

	private Credentials() {
	}

	/**
	 * Mask whatever may be a user name or a password, also in a text that is no valid
	 * URI.
	 * @param setting the value of a setting
	 * @return the value as messages may quote it
	 */
	public static String masked(String setting) {
		return USER_INFO.matcher(setting).replaceFirst("$1***@");
	}

}
