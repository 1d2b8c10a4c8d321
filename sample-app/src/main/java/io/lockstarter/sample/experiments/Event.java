package io.lockstarter.sample.experiments;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A line in the story of an experiment.
 *
 * @param id greater than that of each earlier event
 * @param at when it happened
 * @param instance where it happened
 * @param experiment the experiment
 * @param kind what kind of thing it is
 * @param token the fencing token of the hold concerned; text because browsers round large
 * numbers
 * @param text what happened; the instance is its subject
 */
record Event(long id, Instant at, String instance, Experiment experiment, Kind kind, @Nullable String token,
		String text) {

	enum Kind {

		/** The experiment begins. */
		STARTED,
		/** The experiment goes on. */
		STEP,
		/** Work is done, and was protected by its lock to the end. */
		DONE,
		/** The store took a write. */
		WRITTEN,
		/** The store refused a write. */
		REFUSED,
		/** A write has undone those of others. */
		OVERWRITTEN,
		/** A lock was lost. */
		LOST,
		/** Renewals begin to fail. */
		FAILING,
		/** A renewal succeeded after others had failed. */
		RECOVERED,
		/** Somebody could not go on. */
		FAILED

	}

}
