package io.lockstarter.actuate;

/**
 * Whose locks to show.
 */
public enum LockScope {

	/** Those that this instance holds or waits for. */
	INSTANCE,
	/** Those that the backend has, whichever instance holds them. */
	CLUSTER

}
