package io.lockstarter.benchmarks.worker;

/**
 * Tells a worker what to do in one round.
 *
 * @param locks how the names of locks start; they end with the number of the guard
 * @param firstThread the number of this worker's first thread among those of all workers
 * @param threads how many threads to run
 * @param shared whether all threads want the same lock
 * @param virtual whether the threads are virtual
 * @param readers how many of a hundred holds do not mind others like them
 * @param permits how many may have the same lock at a time; 1 is a lock
 * @param depth how often a thread takes its lock before it releases it as often
 * @param thinkNanos how long a lock is held: by work, or, since there may be more permits
 * than processors, by sleep where there are several
 * @param startNanos when to start, by the {@link System#nanoTime()} that all processes of
 * one machine share
 * @param nanos how long to go on
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
