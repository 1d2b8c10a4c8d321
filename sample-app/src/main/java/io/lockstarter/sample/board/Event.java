package io.lockstarter.sample.board;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Something worth a line on the board.
 *
 * @param number counts the events of one instance
 * @param at when it happened
 * @param kind what kind of thing it is
 * @param lock the lock concerned
 * @param token the fencing token of the hold concerned; text because browsers round large
 * numbers
 * @param text what happened
 */
record Event(long number, Instant at, Kind kind, String lock, @Nullable String token, String text) {

	enum Kind {

		/** A step of an experiment. */
		STEP,
		/** A holder freezes. */
		FROZEN,
		/** The store took a write. */
		WRITTEN,
		/** The store refused a write. */
		REFUSED,
		/** A lock was lost, or not acquired. */
		LOST,
		/** A renewal failed. */
		FAILING,
		/** A renewal succeeded after others had failed. */
		RECOVERED

	}

}
