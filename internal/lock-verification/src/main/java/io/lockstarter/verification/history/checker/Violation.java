package io.lockstarter.verification.history.checker;

import java.util.List;

import io.lockstarter.verification.history.recording.Hold;

/**
 * Violation of a guarantee.
 *
 * @param kind the kind
 * @param key the name of the lock, or empty if the violation concerns no single lock
 * @param text the description
 * @param holds the holds that are involved
 */
public record Violation(Kind kind, String key, String text, List<Hold> holds) {

	Violation(Kind kind, String key, String text, Hold... holds) {
		this(kind, key, text, List.of(holds));
	}

	/**
	 * Kind of a violation.
	 */
	public enum Kind {

		/** Two owners held a lock exclusively at the same time. */
		OVERLAP("overlaps"),
		/** More permits were held at the same time than exist. */
		PERMITS("permit overlaps"),
		/** A later hold did not have a higher token. */
		TOKEN("token regressions"),
		/** A loss was reported of a lock that had protected its holder to the end. */
		FALSE_LOSS("false losses"),
		/** A loss was reported too late, possibly because of a busy machine. */
		LATE_LOSS("losses reported late"),
		/** A loss was never reported. */
		MISSED_LOSS("losses never reported"),
		/** A request did not complete long after its wait time. */
		STUCK("stuck waiters"),
		/** A free lock was not granted in time to a waiting request. */
		WAKE_UP("late wake-ups"),
		/** A fair lock was granted to a later request. */
		FAIRNESS("fair order broken"),
		/** The counter or the store of a lock shows more than one holder. */
		GUARD("guarded data damaged"),
		/** A release or another call had a wrong outcome. */
		OUTCOME("wrong outcomes"),
		/** A resource was left behind. */
		LEAK("leaks");

		private final String plural;

		Kind(String plural) {
			this.plural = plural;
		}

		/**
		 * Returns whether a busy machine may cause such a violation.
		 * @return {@code true} for kinds that depend on time
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
