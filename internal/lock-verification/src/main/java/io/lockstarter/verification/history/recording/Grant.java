package io.lockstarter.verification.history.recording;

import io.lockstarter.core.LockType;

/**
 * Beginning of a hold.
 *
 * @param jvm the number of the JVM
 * @param id the number of the hold in its JVM
 * @param key the name of the lock
 * @param type the type of the lock
 * @param thread the name of the owner's thread
 * @param token the fencing token
 * @param invoked the time of the request
 * @param granted the time at which the owner received the lock
 * @param deadline the end of the lease at that time, by the local clock
 * @param kind the kind of the grant
 * @param permits the number of permits, 1 for a lock without permits
 */
public record Grant(int jvm, long id, String key, LockType type, String thread, long token, long invoked, long granted,
		long deadline, GrantKind kind, int permits) {

	/**
	 * Returns whether the hold has one of several permits.
	 * @return {@code true} for a permit
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
	 * Kind of a grant.
	 */
	public enum GrantKind {

		/** Grant of a request for a single lock. */
		SINGLE,
		/** Hand-over by another owner in the JVM. */
		HANDED_OVER,
		/** Grant of one of several locks that were requested together. */
		JOINT,
		/** Shared grant to the owner of an exclusive hold. */
		NESTED

	}

}
