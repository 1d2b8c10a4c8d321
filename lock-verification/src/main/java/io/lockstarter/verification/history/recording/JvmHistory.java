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
 * @param asks its requests, with those that it never got an answer to
 * @param misses its requests that were not granted
 * @param stalls when it did not get to run
 * @param blocks when it heard of no renewals
 * @param clients the ids of its clients, with the time at which each began to close while
 * it may have held locks, or {@link Hold#NEVER}
 * @param anomalies what must never happen
 */
public record JvmHistory(int jvm, List<Hold> holds, List<Ask> asks, List<Miss> misses, List<Span> stalls,
		List<Span> blocks, Map<String, Long> clients, List<String> anomalies) {

	/**
	 * Begins an empty history.
	 * @param jvm the number of the JVM
	 */
	public JvmHistory(int jvm) {
		this(jvm, new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>(),
				new TreeMap<>(), new ArrayList<>());
	}

	/**
	 * Tells that the JVM was killed: it asks for nothing any more, and believes in
	 * nothing.
	 * @param at when
	 */
	public void killed(long at) {
		this.holds.forEach((hold) -> hold.killed(at));
		this.asks.replaceAll((ask) -> ask.answered(at));
	}

}
