package io.lockstarter.verification.history.checker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.lockstarter.verification.history.Claim;
import io.lockstarter.verification.history.recording.Hold;
import io.lockstarter.verification.history.recording.JvmHistory;
import io.lockstarter.verification.history.recording.Miss;
import io.lockstarter.verification.history.recording.Span;

/**
 * Record of a round.
 *
 * @param claim the guarantees that apply
 * @param jvms the history of each JVM
 * @param stops the spans in which each JVM was stopped
 * @param covered the spans of faults and of their consequences
 * @param roundTrip the additional round-trip time of the most distant JVM
 */
public record RoundRecord(Claim claim, List<JvmHistory> jvms, Map<Integer, List<Span>> stops, List<Span> covered,
		Duration roundTrip) {

	/**
	 * Groups holds and misses by lock.
	 * @return the history of each lock
	 */
	Map<String, KeyHistory> byKey() {
		Map<String, KeyHistory> keys = new TreeMap<>();
		for (JvmHistory jvm : this.jvms) {
			for (Hold hold : jvm.holds()) {
				keys.computeIfAbsent(hold.grant().key(), KeyHistory::of).holds().add(hold);
			}
			for (Miss miss : jvm.misses()) {
				keys.computeIfAbsent(miss.key(), KeyHistory::of).misses().add(miss);
			}
		}
		keys.values().forEach((key) -> key.holds().sort(Comparator.comparingLong((hold) -> hold.grant().granted())));
		return keys;
	}

	/**
	 * Returns whether a span is free of faults and their consequences.
	 * @param span a time
	 * @return {@code true} if no fault affects the span
	 */
	boolean isCalm(Span span) {
		return this.covered.stream().noneMatch(span::meets);
	}

	/**
	 * Returns the spans in which a JVM, or parts of it, did not run.
	 * @param number the number of the JVM
	 * @return the spans, the last first
	 */
	List<Span> pauses(int number) {
		List<Span> pauses = new ArrayList<>(this.stops.getOrDefault(number, List.of()));
		this.jvms.stream().filter((jvm) -> jvm.jvm() == number).forEach((jvm) -> pauses.addAll(jvm.stalls()));
		pauses.sort(Comparator.comparingLong(Span::end).reversed());
		return pauses;
	}

	/**
	 * History of one lock.
	 *
	 * @param key the name of the lock
	 * @param holds the holds, by the time of their grants
	 * @param misses requests that were not granted
	 */
	record KeyHistory(String key, List<Hold> holds, List<Miss> misses) {

		static KeyHistory of(String key) {
			return new KeyHistory(key, new ArrayList<>(), new ArrayList<>());
		}

	}

}
