package io.lockstarter.core;

import java.util.regex.Pattern;

/**
 * Masking of user names and passwords in settings that messages quote, such as URIs.
 */
public final class Credentials {

	/**
	 * User information up to the last @: a password may contain an @ that is not encoded.
	 */
	private static final Pattern USER_INFO = Pattern.compile("^(\\s*[A-Za-z][A-Za-z0-9+.-]*://)?.*@", Pattern.DOTALL);

	private Credentials() {
	}

	/**
	 * Masks everything that may be a user name or a password, even if the text is not a
	 * valid URI.
	 * @param setting the value of a setting
	 * @return the value in the form that messages may quote
	 */
	public static String masked(String setting) {
		return USER_INFO.matcher(setting).replaceFirst("$1***@");
	}

}
