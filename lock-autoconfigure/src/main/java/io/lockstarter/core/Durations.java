package io.lockstarter.core;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Limits and formats of durations in properties, annotations and requests.
 */
public final class Durations {

	/**
	 * Minimum lease: 100 ms, which leaves room for its safety margin and for a command.
	 */
	public static final Duration SHORTEST_LEASE = Duration.ofMillis(100);

	/**
	 * Maximum duration: 365 days, which keeps sums within the range of a nanosecond
	 * clock.
	 */
	public static final Duration LONGEST = Duration.ofDays(365);

	private Durations() {
	}

	/**
	 * Checks that a duration is within the limits.
	 * @param duration the duration
	 * @param least the minimum
	 * @return the violation, as the end of a sentence about the duration, or {@code null}
	 */
	public static @Nullable String objection(Duration duration, Duration least) {
		if (duration.compareTo(least) >= 0 && duration.compareTo(LONGEST) <= 0) {
			return null;
		}
		return "must be at least %s and at most %s but is %s".formatted(exact(least), exact(LONGEST), exact(duration));
	}

	/**
	 * Formats a duration as a setting: in days, seconds, milliseconds or microseconds,
	 * whichever is the largest exact unit.
	 * @param duration the duration
	 * @return the text, such as {@code 100ms}
	 */
	public static String exact(Duration duration) {
		if (duration.toNanosPart() == 0) {
			boolean days = !duration.isZero() && duration.toSeconds() % Duration.ofDays(1).toSeconds() == 0;
			return days ? duration.toDays() + "d" : duration.toSeconds() + "s";
		}
		boolean millis = duration.toNanosPart() % Duration.ofMillis(1).toNanos() == 0;
		return millis ? duration.toMillis() + "ms" : TimeUnit.MICROSECONDS.convert(duration) + "us";
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
