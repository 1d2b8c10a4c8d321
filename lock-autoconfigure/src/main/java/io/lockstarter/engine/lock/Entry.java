package io.lockstarter.engine.lock;

/**
 * How an owner comes to a hold.
 */
public enum Entry {

	/** The backend granted the lock. */
	ACQUIRED,
	/** Another owner in this JVM handed the lock over. */
	HANDED_OVER,
	/** Readers in this JVM had the lock already, or the owner as a writer. */
	JOINED,
	/** The owner had the lock already. */
	REENTERED

}
