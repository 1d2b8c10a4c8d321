package io.lockstarter.dashboard;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Limits from which a duration is unusually long for an application.
 *
 * @param waitMillis the limit of a wait
 * @param contendedHoldMillis the limit of a hold while requests wait for the lock
 * @param holdMillis the limit of any other hold
 */
record Limits(long waitMillis, long contendedHoldMillis, long holdMillis) {

	/** Multiple of a limit from which something is broken. */
	static final int BAD_FACTOR = 6;

	private static final Duration WAIT = Duration.ofSeconds(10);

	private static final Duration CONTENDED_HOLD = Duration.ofMinutes(1);

	private static final Duration HOLD = Duration.ofMinutes(5);

	/**
	 * Returns the limits of an application, which are those for warnings in its log if
	 * these are set.
	 */
	static Limits of(@Nullable Duration warnWaitTime, @Nullable Duration warnHoldTime) {
		Duration wait = (warnWaitTime != null) ? warnWaitTime : WAIT;
		return new Limits(wait.toMillis(), ((warnHoldTime != null) ? warnHoldTime : CONTENDED_HOLD).toMillis(),
				((warnHoldTime != null) ? warnHoldTime : HOLD).toMillis());
	}

}
