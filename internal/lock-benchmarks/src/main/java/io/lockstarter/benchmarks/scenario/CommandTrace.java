package io.lockstarter.benchmarks.scenario;

import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Commands that Redis ran in a span of time.
 *
 * @param sent the number of times each command was sent by a client
 * @param scripted the number of times each command was run by a script
 */
record CommandTrace(Map<String, Long> sent, Map<String, Long> scripted) {

	long sentTotal() {
		return this.sent.values().stream().mapToLong(Long::longValue).sum();
	}

	String perCycle(long cycles) {
		return "sends " + perCycle(this.sent, cycles) + "; scripts run " + perCycle(this.scripted, cycles);
	}

	private static String perCycle(Map<String, Long> counts, long cycles) {
		return counts.isEmpty() ? "nothing" : counts.entrySet()
			.stream()
			.map((entry) -> String.format(Locale.ROOT, "%.3f %s", (double) entry.getValue() / cycles, entry.getKey()))
			.collect(Collectors.joining(", "));
	}

}
