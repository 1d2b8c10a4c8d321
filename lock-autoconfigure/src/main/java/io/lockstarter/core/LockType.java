package io.lockstarter.core;

import java.util.Locale;

/**
 * Exclusivity and order of a lock.
 */
public enum LockType {

	/**
	 * One owner at a time, which may re-enter the lock. A running thread may barge ahead
	 * of waiting threads, within limits.
	 */
	REENTRANT,

	/**
	 * One owner at a time, in the order of arrival.
	 */
	FAIR,

	/**
	 * Any number of readers at a time, and no exclusive owner. New readers wait behind a
	 * waiting writer.
	 */
	READ,

	/**
	 * One owner at a time, which may also acquire the lock as a reader and keep it as a
	 * reader after writing. As exclusive as {@link #REENTRANT}.
	 */
	WRITE;

	private final String tag = name().toLowerCase(Locale.ROOT);

	/**
	 * Returns whether several owners may hold the lock at a time.
	 * @return {@code true} for readers
	 */
	public boolean isShared() {
		return this == READ;
	}

	/**
	 * Returns the name in lower case, as used in metric tags and endpoint output.
	 * @return the tag value
	 */
	public String tag() {
		return this.tag;
	}

}
