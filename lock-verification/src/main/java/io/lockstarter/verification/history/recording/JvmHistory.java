package io.lockstarter.verification.history.recording;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one JVM wrote down.
 *
 * @param jvm its number
 * @param holds its holds
 * @param misses its requests that were not granted
 * @param stalls when it did not get to run
 * @param clients the ids of its clients, with the time at which each began to close while
 * it may have held locks, or {@link Hold#NEVER}
 * @param anomalies what must never happen
 */
public record JvmHistory(int jvm, List<Hold> holds, List<Miss> misses, List<Span> stalls, Map<String, Long> clients,
		List<String> anomalies) {

	/**
	 * Begin an empty history.
	 * @param jvm the number of the JVM
	 */
	public JvmHistory(int jvm) {
		this(jvm, new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new TreeMap<>(), new ArrayList<>());
	}

}
