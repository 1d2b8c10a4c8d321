package io.lockstarter.dashboard;

import java.time.Clock;
import java.util.Arrays;

/**
 * Counts what happens minute by minute, and forgets it after an hour.
 */
final class LastHour {

	private static final int MINUTES = 60;

	private static final long MINUTE_MILLIS = 60_000;

	private final Clock clock;

	private final long[] counts = new long[MINUTES];

	private long latest;

	LastHour(Clock clock) {
		this.clock = clock;
		this.latest = minute();
	}

	synchronized void count() {
		forget();
		this.counts[index(this.latest)]++;
	}

	/** How often it has happened within the hour. */
	synchronized long total() {
		forget();
		return Arrays.stream(this.counts).sum();
	}

	private void forget() {
		long now = minute();
		for (long begun = Math.max(this.latest + 1, now - MINUTES + 1); begun <= now; begun++) {
			this.counts[index(begun)] = 0;
		}
		this.latest = Math.max(this.latest, now);
	}

	private long minute() {
		return this.clock.millis() / MINUTE_MILLIS;
	}

	private static int index(long minute) {
		return (int) (minute % MINUTES);
	}

}
