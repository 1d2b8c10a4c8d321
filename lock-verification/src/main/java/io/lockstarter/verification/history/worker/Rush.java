package io.lockstarter.verification.history.worker;

import java.time.Duration;

/**
 * For half a second of every two, all threads of all JVMs want the same few locks, so
 * that these are passed on from JVM to JVM without a rest.
 */
public final class Rush {

	/** How many locks all want. */
	static final int KEYS = 4;

	private static final long PERIOD_NANOS = Duration.ofSeconds(2).toNanos();

	private static final long LENGTH_NANOS = Duration.ofMillis(500).toNanos();

	private Rush() {
	}

	/** Whether there is one now, by a clock that all JVMs of a host share. */
	static boolean isOn() {
		return sinceLast() < LENGTH_NANOS;
	}

	/**
	 * Returns when the next one will be in full swing.
	 * @return how many nanoseconds from now
	 */
	public static long untilNext() {
		return Math.floorMod(LENGTH_NANOS / 2 - sinceLast(), PERIOD_NANOS);
	}

	private static long sinceLast() {
		return Math.floorMod(System.nanoTime(), PERIOD_NANOS);
	}

}
