package io.lockstarter.benchmarks.worker;

import java.util.List;

/**
 * What a worker did in one round.
 *
 * @param cycles how many holds there were
 * @param shares how many of them each thread began before the round was over
 * @param waits the histogram of the waits in nanoseconds, encoded
 * @param heldNanos how long locks were held before the round was over, all holds added
 * up; zero if they are released at once
 * @param violations holds that were not alone, or had more beside them than there are
 * permits, or whose token had not risen
 * @param cpuNanos the processor time of the whole process
 * @param compilerMillis the time that its compilers have worked
 */
public record RoundResult(long cycles, List<Long> shares, String waits, long heldNanos, long violations, long cpuNanos,
		long compilerMillis) {
}
