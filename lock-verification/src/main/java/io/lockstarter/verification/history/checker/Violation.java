package io.lockstarter.verification.history.checker;

import java.util.List;

import io.lockstarter.verification.history.recording.Hold;

/**
 * Something that the locks promise never to happen.
 *
 * @param kind what kind of thing
 * @param key the lock, or empty where it concerns none in particular
 * @param text what happened
 * @param holds the holds that it happened to
 */
public record Violation(Kind kind, String key, String text, List<Hold> holds) {

	Violation(Kind kind, String key, String text, Hold... holds) {
		this(kind, key, text, List.of(holds));
	}

	/**
	 * The kinds of violations.
	 */
	public enum Kind {

		/** Two believed at the same time to have the lock alone. */
		OVERLAP("overlaps"),
		/** More believed at the same time to have a permit than there are. */
		PERMITS("permit overlaps"),
		/** A later hold had no higher token. */
		TOKEN("token regressions"),
		/** A lock was told lost that had protected its holder to the end. */
		FALSE_LOSS("false losses"),
		/** A loss was signalled too late, which a busy machine may have to answer for. */
		LATE_LOSS("late loss signals"),
		/** A loss was never signalled. */
		UNTOLD_LOSS("losses never told"),
		/** A request was not answered, long after its wait time. */
		STUCK("stuck waiters"),
		/** A lock was free, and one who waited did not get it in time. */
		WAKE_UP("late wake-ups"),
		/** A fair lock went to one who had come later. */
		FAIRNESS("fair order broken"),
		/** The counter or the store that a lock guards shows more than one holder. */
		GUARD("guarded data damaged"),
		/** A release or another call ended as it must not. */
		OUTCOME("wrong outcomes"),
		/** Something was left behind. */
		LEAK("leaks");

		private final String plural;

		Kind(String plural) {
			this.plural = plural;
		}

		/**
		 * Returns whether a machine that is busy enough may have to answer for it.
		 * @return whether it is found by how long something took
		 */
		public boolean isAboutTime() {
			return this == LATE_LOSS || this == WAKE_UP || this == FAIRNESS;
		}

		@Override
		public String toString() {
			return this.plural;
		}

	}

}
