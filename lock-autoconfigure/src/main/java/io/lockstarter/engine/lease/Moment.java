package io.lockstarter.engine.lease;

import java.time.Duration;
import java.time.InstantSource;

/**
 * Point in time, recorded by two clocks. The elapsed time is the greater of the two
 * differences, because the monotonic clock stops while a virtual machine is suspended and
 * the wall clock may be set back.
 *
 * @param nanos the monotonic clock, in nanoseconds
 * @param millis the wall clock, in milliseconds since the epoch
 */
public record Moment(long nanos, long millis) {

	/**
	 * Returns the current moment.
	 * @param wallClock the wall clock
	 */
	public static Moment now(InstantSource wallClock) {
		return new Moment(System.nanoTime(), wallClock.millis());
	}

	public Moment plus(Duration duration) {
		return new Moment(this.nanos + duration.toNanos(), this.millis + duration.toMillis());
	}

	public long elapsedNanos(Moment until) {
		return Math.max(until.nanos - this.nanos, (until.millis - this.millis) * 1_000_000);
	}

}
