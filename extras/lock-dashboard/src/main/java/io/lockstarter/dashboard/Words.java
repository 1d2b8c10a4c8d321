package io.lockstarter.dashboard;

import java.util.concurrent.TimeUnit;

/**
 * Texts for numbers and durations.
 */
final class Words {

	private Words() {
	}

	static String count(long number, String one, String many) {
		return number + " " + ((number == 1) ? one : many);
	}

	/** Returns the text for a duration. */
	static String duration(long millis) {
		long seconds = TimeUnit.MILLISECONDS.toSeconds(Math.max(0, millis));
		if (seconds < 120) {
			return seconds + " s";
		}
		long minutes = seconds / 60;
		return (minutes < 120) ? minutes + " min" : (minutes / 60) + " h " + (minutes % 60) + " min";
	}

}
