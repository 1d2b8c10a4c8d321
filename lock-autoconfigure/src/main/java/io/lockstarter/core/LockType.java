package io.lockstarter.core;

import java.util.Locale;

/**
 * How a lock excludes others.
 */
public enum LockType {

	/**
	 * One owner at a time, who may take the lock again while holding it.
	 */
	REENTRANT;

	/**
	 * Return the name in lower case, as used in metric tags and endpoint output.
	 * @return the tag value
	 */
	public String tag() {
		return name().toLowerCase(Locale.ROOT);
	}

}
