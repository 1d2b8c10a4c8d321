package io.lockstarter.actuate;

/**
 * Scope of the locks to show.
 */
public enum LockScope {

	/** Locks that this instance holds or waits for. */
	INSTANCE,
	/** Locks of all instances, as reported by the backend. */
	CLUSTER

}
