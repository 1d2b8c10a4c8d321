package io.lockstarter.engine.lock;

/**
 * Way in which an owner gets a hold.
 */
public enum GrantKind {

	/** Grant by the backend. */
	ACQUIRED,
	/** Hand-over by another owner in this JVM. */
	HANDED_OVER,
	/** Shared entry with readers in this JVM, or with the owner's exclusive hold. */
	JOINED,
	/** Re-entry of an owner who already holds the lock. */
	REENTERED

}
