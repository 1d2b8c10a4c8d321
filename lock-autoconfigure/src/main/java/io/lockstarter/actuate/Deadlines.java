package io.lockstarter.actuate;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Ends of leases, by the clock of this instance.
 */
final class Deadlines {

	private Deadlines() {
	}

	static Instant in(Duration remaining) {
		return Instant.now().plus(remaining).truncatedTo(ChronoUnit.MILLIS);
	}

}
