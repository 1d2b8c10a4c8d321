package io.lockstarter.dashboard;

import java.util.concurrent.TimeUnit;

/**
 * Numbers and times in words.
 */
final class Words {

	private Words() {
	}

	static String count(long number, String one, String many) {
		return number + " " + ((number == 1) ? one : many);
	}

	/** A length of time, as exact as it is worth. */
	static String duration(long millis) {
		long seconds = TimeUnit.MILLISECONDS.toSeconds(Math.max(0, millis));
		if (seconds < 120) {
			return seconds + " s";
		}
		long minutes = seconds / 60;
		return (minutes < 120) ? minutes + " min" : (minutes / 60) + " h " + (minutes % 60) + " min";
	}

}
