package io.lockstarter.verification.history.recording;

/**
 * Outcome of a release for its caller.
 */
public enum ReleaseOutcome {

	/** The release returned normally. */
	RELEASED,
	/** The lock had been lost. */
	LOST,
	/** The release reported, wrongly, that the lock had never been held. */
	NOT_HELD,
	/** The release failed in another way. */
	FAILED

}
