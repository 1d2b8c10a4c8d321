package io.lockstarter.observation;

import java.time.Duration;
import java.util.Locale;

import io.lockstarter.core.LockListener.Outcome;
import io.lockstarter.core.LockRequest;

/**
 * Values of tags.
 */
final class TagValues {

	private static final String BUSY = "busy";

	private TagValues() {
	}

	/**
	 * Returns the value of an outcome. A request that was not willing to wait is
	 * {@code busy} instead of {@code timeout}, as a scheduled method that another
	 * instance runs.
	 */
	static String of(LockRequest request, Outcome outcome) {
		boolean busy = outcome == Outcome.TIMEOUT && Duration.ZERO.equals(request.waitTime());
		return busy ? BUSY : of(outcome);
	}

	static String of(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT);
	}

}
