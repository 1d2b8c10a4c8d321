package io.lockstarter.benchmarks.worker;

import java.util.List;

/**
 * Result of a worker in one round.
 *
 * @param cycles the number of holds
 * @param shares the number of holds that each thread began before the end of the round
 * @param waits the histogram of the waits in nanoseconds, encoded
 * @param heldNanos the sum of hold times before the end of the round; zero if locks are
 * released at once
 * @param violations the number of holds that were not exclusive, exceeded the permits, or
 * had a token that did not rise
 * @param cpuNanos the processor time of the whole process
 * @param compilerMillis the time that the compilers have worked
 */
public record RoundResult(long cycles, List<Long> shares, String waits, long heldNanos, long violations, long cpuNanos,
		long compilerMillis) {
}
