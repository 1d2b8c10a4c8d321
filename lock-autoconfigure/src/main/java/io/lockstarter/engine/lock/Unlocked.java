package io.lockstarter.engine.lock;

/**
 * What became of the release of one entry.
 */
enum Unlocked {

	/** The owner has the lock on: it was no outermost entry. */
	STILL_HELD,
	/** The hold has ended, and the lock stays in this JVM. */
	RELEASED,
	/** The hold has ended, and the backend is told. */
	RELEASING,
	/** The hold was lost before. */
	LOST

}
