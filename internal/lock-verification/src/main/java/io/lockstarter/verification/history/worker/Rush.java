package io.lockstarter.verification.history.worker;

import java.time.Duration;

/**
 * Half a second of every two seconds in which all threads of all JVMs request the same
 * few locks, so that the JVMs hand these over continuously.
 */
public final class Rush {

	/** Number of locks that all threads request. */
	static final int KEYS = 4;

	private static final long PERIOD_NANOS = Duration.ofSeconds(2).toNanos();

	private static final long LENGTH_NANOS = Duration.ofMillis(500).toNanos();

	private Rush() {
	}

	/** Returns whether a rush is on, by a clock that all JVMs of a host share. */
	static boolean isOn() {
		return sinceLast() < LENGTH_NANOS;
	}

	/**
	 * Returns the time until the middle of the next rush.
	 * @return the time in nanoseconds
	 */
	public static long untilNext() {
		return Math.floorMod(LENGTH_NANOS / 2 - sinceLast(), PERIOD_NANOS);
	}

	private static long sinceLast() {
		return Math.floorMod(System.nanoTime(), PERIOD_NANOS);
	}

}
