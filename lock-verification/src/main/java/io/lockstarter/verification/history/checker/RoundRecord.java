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
 * All that is known of a round.
 *
 * @param claim what the locks promise in it
 * @param jvms what each JVM wrote down
 * @param stops when each JVM was stopped
 * @param covered when faults were at work, with the time that their consequences last
 * @param roundTrip how much longer a round trip to the locks takes for the JVM that is
 * farthest away
 */
public record RoundRecord(Claim claim, List<JvmHistory> jvms, Map<Integer, List<Span>> stops, List<Span> covered,
		Duration roundTrip) {

	/**
	 * Sorts what happened by locks.
	 * @return for each lock its history
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
	 * Returns whether no fault was at work.
	 * @param span a time
	 * @return whether the whole of it was undisturbed
	 */
	boolean isCalm(Span span) {
		return this.covered.stream().noneMatch(span::meets);
	}

	/**
	 * Returns when a JVM did not get to run, or parts of it did not.
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
	 * The history of one lock.
	 *
	 * @param key its name
	 * @param holds its holds, by the time of their grants
	 * @param misses requests that were not granted
	 */
	record KeyHistory(String key, List<Hold> holds, List<Miss> misses) {

		static KeyHistory of(String key) {
			return new KeyHistory(key, new ArrayList<>(), new ArrayList<>());
		}

	}

}
