package io.lockstarter.verification.history.recording;

/**
 * What a release told its caller.
 */
public enum ReleaseOutcome {

	/** It returned normally. */
	RELEASED,
	/** The lock had been lost. */
	LOST,
	/** The lock was said never to have been held, which is wrong. */
	NOT_HELD,
	/** It failed in another way. */
	FAILED

}
