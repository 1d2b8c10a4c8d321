package io.lockstarter.engine.lock;

/**
 * Result of releasing one entry of a hold.
 */
enum UnlockResult {

	/** Owner still holds the lock, because the entry was not the outermost one. */
	STILL_HELD,
	/** Hold has ended, and the lock stays in this JVM. */
	RELEASED,
	/** Hold has ended, and the release is sent to the backend. */
	RELEASING,
	/** Hold was lost before. */
	LOST

}
