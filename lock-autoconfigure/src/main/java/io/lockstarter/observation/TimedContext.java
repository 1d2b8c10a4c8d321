package io.lockstarter.observation;

import io.micrometer.observation.Observation;

/**
 * Context with the start time of an observation. A field is cheaper than an entry of the
 * context's map, which is created with its first entry.
 */
abstract sealed class TimedContext extends Observation.Context permits LockAcquireContext, LockHoldContext {

	private volatile long start;

	/**
	 * Returns the start time of the observation.
	 * @return the time of the registry's monotonic clock, in nanoseconds
	 */
	long start() {
		return this.start;
	}

	void startedAt(long nanos) {
		this.start = nanos;
	}

	/**
	 * Returns the meter of the observation.
	 * @return the documentation of a timer
	 */
	abstract LockMeterDocumentation meter();

}
