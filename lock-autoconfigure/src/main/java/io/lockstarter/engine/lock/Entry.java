package io.lockstarter.engine.lock;

/**
 * Way in which an owner gets a hold.
 */
public enum Entry {

	/** Grant by the backend. */
	ACQUIRED,
	/** Hand-over by another owner in this JVM. */
	HANDED_OVER,
	/** Entry beside readers in this JVM, or beside the owner's own exclusive hold. */
	JOINED,
	/** Re-entry of an owner who already holds the lock. */
	REENTERED

}
