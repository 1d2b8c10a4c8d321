package io.lockstarter.observation;

import io.micrometer.observation.Observation;

/**
 * Knows when the observation of a lock began: cheaper than an entry of the context's map,
 * which is made for the first one.
 */
abstract sealed class TimedContext extends Observation.Context permits LockAcquireContext, LockHoldContext {

	private volatile long start;

	/**
	 * Return when the observation began.
	 * @return what the clock showed, in nanoseconds
	 */
	long start() {
		return this.start;
	}

	void startedAt(long nanos) {
		this.start = nanos;
	}

	/**
	 * Return the meter that is made of the observation.
	 * @return a timer
	 */
	abstract LockMeterDocumentation meter();

}
