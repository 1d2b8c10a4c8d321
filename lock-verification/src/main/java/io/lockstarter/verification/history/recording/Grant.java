package io.lockstarter.verification.history.recording;

import io.lockstarter.core.LockType;

/**
 * The beginning of a hold.
 *
 * @param jvm the number of the JVM
 * @param id the number of the hold in it
 * @param key the lock's name
 * @param type how the hold excludes others
 * @param thread who holds it
 * @param token its fencing token
 * @param invoked when it was asked for
 * @param granted when its owner had it
 * @param deadline until when its lease lasted then, by the local clock
 * @param entry how the owner came to it
 * @param permits how many may hold the lock at a time; 1 for readers too
 */
public record Grant(int jvm, long id, String key, LockType type, String thread, long token, long invoked, long granted,
		long deadline, Entry entry, int permits) {

	/**
	 * Returns whether the owner has one of several permits.
	 * @return {@code true} if so
	 */
	public boolean isPermit() {
		return this.permits > 1;
	}

	/**
	 * Returns whether others may hold the lock as well.
	 * @return {@code true} for readers and permits
	 */
	public boolean isShared() {
		return this.type.isShared() || isPermit();
	}

	/**
	 * How an owner came to a hold.
	 */
	public enum Entry {

		/** It waited for this lock alone. */
		ALONE,
		/** Another owner in the JVM handed the lock over. */
		HANDED_OVER,
		/** It took the lock as one of several. */
		JOINT,
		/** It had the lock already, and now has it as a reader too. */
		NESTED

	}

}
