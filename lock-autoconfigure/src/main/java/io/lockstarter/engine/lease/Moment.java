package io.lockstarter.engine.lease;

import java.time.Duration;
import java.time.InstantSource;

/**
 * A point in time that two clocks remember. What has elapsed since is the longer of both:
 * the monotonic clock stops while a virtual machine is suspended, the wall clock may be
 * set back.
 *
 * @param nanos the monotonic clock
 * @param millis the wall clock
 */
public record Moment(long nanos, long millis) {

	/**
	 * The present moment.
	 * @param wallClock tells the wall clock's time
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
