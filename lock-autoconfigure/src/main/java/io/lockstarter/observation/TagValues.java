package io.lockstarter.observation;

import java.time.Duration;
import java.util.Locale;

import io.lockstarter.core.LockListener.Outcome;
import io.lockstarter.core.LockRequest;

/**
 * Enums as they appear in tags.
 */
final class TagValues {

	private static final String BUSY = "busy";

	private TagValues() {
	}

	/**
	 * Tell apart who waited without success from who did not want to wait, as a scheduled
	 * method that skips what another instance does.
	 */
	static String of(LockRequest request, Outcome outcome) {
		boolean tried = outcome == Outcome.TIMEOUT && Duration.ZERO.equals(request.waitTime());
		return tried ? BUSY : of(outcome);
	}

	static String of(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT);
	}

}
