package io.lockstarter.engine.lock;

import java.util.Set;
import java.util.TreeSet;

/**
 * Which event of a {@link LockMachine} leads from which state to which.
 */
public final class Transitions {

	/** Where a machine begins and ends. */
	public static final String OUTSIDE = "[*]";

	private final Set<Transition> seen = new TreeSet<>();

	/** Those that happen in walks that are always the same. */
	public static Set<Transition> ofWalks(long events) {
		Transitions transitions = new Transitions();
		LockMachineWalkTests.walk(events, 1, transitions);
		return transitions.seen;
	}

	void began(RemoteState first) {
		this.seen.add(new Transition(OUTSIDE, "", name(first)));
	}

	void happened(RemoteState before, String event, RemoteState after) {
		if (!name(before).equals(name(after))) {
			this.seen.add(new Transition(name(before), event, name(after)));
		}
	}

	void retired(RemoteState last) {
		this.seen.add(new Transition(name(last), "", OUTSIDE));
	}

	private static String name(RemoteState state) {
		return state.getClass().getSimpleName();
	}

	/**
	 * A change of state.
	 *
	 * @param from the state before
	 * @param event the event, or nothing for the beginning and the end
	 * @param to the state after
	 */
	public record Transition(String from, String event, String to) implements Comparable<Transition> {

		@Override
		public int compareTo(Transition other) {
			return toString().compareTo(other.toString());
		}

		@Override
		public String toString() {
			return "%s --> %s : %s".formatted(this.from, this.to, this.event);
		}

	}

}
