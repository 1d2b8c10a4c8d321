package io.lockstarter.dashboard;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Times that are unusually long for an application.
 *
 * @param waitMillis for a request to wait
 * @param contendedHoldMillis for a lock to be held while others wait
 * @param holdMillis for a lock to be held
 */
record Limits(long waitMillis, long contendedHoldMillis, long holdMillis) {

	/** Beyond so many times the limit, something is broken. */
	static final int BAD = 6;

	private static final Duration WAIT = Duration.ofSeconds(10);

	private static final Duration CONTENDED_HOLD = Duration.ofMinutes(1);

	private static final Duration HOLD = Duration.ofMinutes(5);

	/**
	 * Returns the limits of an application that may have limits for warnings in its log.
	 */
	static Limits of(@Nullable Duration warnWaitTime, @Nullable Duration warnHoldTime) {
		Duration wait = (warnWaitTime != null) ? warnWaitTime : WAIT;
		return new Limits(wait.toMillis(), ((warnHoldTime != null) ? warnHoldTime : CONTENDED_HOLD).toMillis(),
				((warnHoldTime != null) ? warnHoldTime : HOLD).toMillis());
	}

}
