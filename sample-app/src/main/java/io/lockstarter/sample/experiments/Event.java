package io.lockstarter.sample.experiments;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * Event of an experiment.
 *
 * @param id a number that is greater than that of each earlier event
 * @param at the time
 * @param instance the instance
 * @param experiment the experiment
 * @param kind the kind
 * @param token the fencing token of the hold; a text because browsers round large numbers
 * @param text the predicate of a sentence whose subject is the instance
 */
record Event(long id, Instant at, String instance, Experiment experiment, Kind kind, @Nullable String token,
		String text) {

	/** Kind of an event. */
	enum Kind {

		/** Start of the experiment. */
		STARTED,
		/** Intermediate step. */
		STEP,
		/** End of work that its lock protected throughout. */
		DONE,
		/** Write that the store accepted. */
		WRITTEN,
		/** Write that the store refused. */
		REFUSED,
		/** Write that undid the writes of others. */
		OVERWRITTEN,
		/** Loss of a lock. */
		LOST,
		/** First failed renewal. */
		FAILING,
		/** First successful renewal after failed ones. */
		RECOVERED,
		/** Failure of a participant. */
		FAILED

	}

}
