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

	/**
	 * Returns the text for a duration, in whole seconds. The script {@code words.js} has
	 * the same function for the durations in the tables.
	 */
	static String duration(long millis) {
		if (millis > 0 && millis < 1000) {
			return "< 1 s";
		}
		long seconds = TimeUnit.MILLISECONDS.toSeconds(Math.max(0, millis));
		if (seconds < 60) {
			return seconds + " s";
		}
		long minutes = seconds / 60;
		if (minutes < 60) {
			return minutes + " min " + (seconds % 60) + " s";
		}
		long hours = minutes / 60;
		return (hours < 48) ? hours + " h " + (minutes % 60) + " min" : (hours / 24) + " d " + (hours % 24) + " h";
	}

}
