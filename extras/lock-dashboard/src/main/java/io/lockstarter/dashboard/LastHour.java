package io.lockstarter.dashboard;

import java.time.Clock;
import java.util.Arrays;

/**
 * Counter of the events of the last hour, with a resolution of one minute.
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
		dropOldEvents();
		this.counts[index(this.latest)]++;
	}

	/** Returns the number of events within the last hour. */
	synchronized long total() {
		dropOldEvents();
		return Arrays.stream(this.counts).sum();
	}

	private void dropOldEvents() {
		long now = minute();
		for (long minute = Math.max(this.latest + 1, now - MINUTES + 1); minute <= now; minute++) {
			this.counts[index(minute)] = 0;
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
