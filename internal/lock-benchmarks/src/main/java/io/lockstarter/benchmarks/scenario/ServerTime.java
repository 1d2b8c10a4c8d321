package io.lockstarter.benchmarks.scenario;

import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Time that Redis has spent since its start.
 *
 * @param scriptMicros the time in scripts, including their commands
 * @param cpuMicros the processor time of all threads
 */
record ServerTime(double scriptMicros, double cpuMicros) {

	private static final Pattern SCRIPTS = Pattern.compile("cmdstat_(?:evalsha|eval):calls=\\d+,usec=(\\d+)");

	private static final Pattern PROCESSORS = Pattern.compile("used_cpu_(?:sys|user):([\\d.]+)");

	private static final double MICROS_PER_SECOND = 1e6;

	/** Reads the time by a function that sends a command. */
	static ServerTime of(Function<String[], @Nullable Object> redis) {
		return new ServerTime(sum(SCRIPTS, redis.apply(new String[] { "INFO", "commandstats" })),
				MICROS_PER_SECOND * sum(PROCESSORS, redis.apply(new String[] { "INFO", "cpu" })));
	}

	private static double sum(Pattern pattern, @Nullable Object info) {
		Matcher found = pattern.matcher(String.valueOf(info));
		double sum = 0;
		while (found.find()) {
			sum += Double.parseDouble(found.group(1));
		}
		return sum;
	}

	ServerTime plus(ServerTime other) {
		return new ServerTime(this.scriptMicros + other.scriptMicros, this.cpuMicros + other.cpuMicros);
	}

	ServerTime minus(ServerTime before) {
		return new ServerTime(this.scriptMicros - before.scriptMicros, this.cpuMicros - before.cpuMicros);
	}

}
