package io.lockstarter.verification.history.recording;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * History of one JVM.
 *
 * @param jvm the number of the JVM
 * @param holds the holds
 * @param attempts the requests, including those that never completed
 * @param misses the requests that were not granted
 * @param stalls the spans in which the JVM did not run
 * @param blocks the spans in which its listener was blocked
 * @param clients the ids of the clients, with the time at which each began to close, or
 * {@link Hold#NEVER}
 * @param anomalies descriptions of events that must never happen
 */
public record JvmHistory(int jvm, List<Hold> holds, List<Attempt> attempts, List<Miss> misses, List<Span> stalls,
		List<Span> blocks, Map<String, Long> clients, List<String> anomalies) {

	/**
	 * Creates an empty history.
	 * @param jvm the number of the JVM
	 */
	public JvmHistory(int jvm) {
		this(jvm, new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>(),
				new TreeMap<>(), new ArrayList<>());
	}

	/**
	 * Records that the JVM was killed, which ends its requests and holds.
	 * @param at the time
	 */
	public void killed(long at) {
		this.holds.forEach((hold) -> hold.killed(at));
		this.attempts.replaceAll((attempt) -> attempt.completed(at));
	}

}
