package io.lockstarter.core;

import java.util.Locale;

/**
 * How a lock excludes others.
 */
public enum LockType {

	/**
	 * One owner at a time, who may take the lock again while holding it. A running thread
	 * may come before one that waits, within bounds.
	 */
	REENTRANT,

	/**
	 * One owner at a time, in the order in which they came.
	 */
	FAIR,

	/**
	 * Any number of readers at a time, and no owner of another type. New readers wait
	 * behind a writer that waits.
	 */
	READ,

	/**
	 * One owner at a time, who may also take the lock as a reader and keep it as such
	 * when done with writing. Excludes others just as {@link #REENTRANT} does.
	 */
	WRITE;

	private final String tag = name().toLowerCase(Locale.ROOT);

	/**
	 * Return whether several owners may hold the lock at a time.
	 * @return {@code true} for readers
	 */
	public boolean isShared() {
		return this == READ;
	}

	/**
	 * Return the name in lower case, as used in metric tags and endpoint output.
	 * @return the tag value
	 */
	public String tag() {
		return this.tag;
	}

}
