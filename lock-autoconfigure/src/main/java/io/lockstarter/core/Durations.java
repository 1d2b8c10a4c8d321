package io.lockstarter.core;

import java.time.Duration;
import java.util.Locale;

/**
 * Durations as people read them.
 */
final class Durations {

	private Durations() {
	}

	static String text(Duration duration) {
		long millis = duration.toMillis();
		if (millis < 1000) {
			return millis + "ms";
		}
		return (millis % 1000 == 0) ? millis / 1000 + "s"
				: String.format(Locale.ROOT, "%d.%03ds", millis / 1000, millis % 1000);
	}

}
