package io.lockstarter.benchmarks.worker;

/**
 * Settings of a round for a worker.
 *
 * @param locks the prefix of the names of locks, which end with the number of the guard
 * @param firstThread the number of this worker's first thread among those of all workers
 * @param threads the number of threads
 * @param shared whether all threads request the same lock
 * @param virtual whether the threads are virtual
 * @param readers the percentage of holds by readers
 * @param permits the number of permits, 1 for a lock without permits
 * @param depth the number of times a thread enters its lock
 * @param thinkNanos the hold time of a lock: busy work, or sleep with several permits,
 * because there may be more permits than processors
 * @param startNanos the start, by the {@link System#nanoTime()} that all processes of one
 * machine share
 * @param nanos the duration
 */
public record RoundOrder(String locks, int firstThread, int threads, boolean shared, boolean virtual, int readers,
		int permits, int depth, long thinkNanos, long startNanos, long nanos) {

	String lock(int thread) {
		return this.locks + "-" + guard(thread);
	}

	int guard(int thread) {
		return this.shared ? 0 : this.firstThread + thread;
	}

	long endNanos() {
		return this.startNanos + this.nanos;
	}

}
