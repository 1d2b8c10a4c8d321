package io.lockstarter.benchmarks.scenario;

import java.time.Duration;
import java.util.Locale;

/**
 * Work of the threads in a {@link CycleScenario}.
 *
 * @param jvms the number of JVMs
 * @param threads the number of threads of each JVM
 * @param shared whether all threads request the same lock
 * @param virtual whether the threads are virtual
 * @param readers the percentage of holds by readers
 * @param permits the number of permits, 1 for a lock without permits
 * @param depth the number of times a thread enters its lock
 * @param hold the hold time of a lock, zero for that of the options
 * @param generations the number of times all rounds run in new JVMs
 * @param shortRound the length of a round in the short form
 * @param fullRound the length of a round in the full form
 */
record Load(int jvms, int threads, boolean shared, boolean virtual, int readers, int permits, int depth, Duration hold,
		int generations, Duration shortRound, Duration fullRound) {

	/** Returns a load with threads of one JVM that each have their own lock. */
	static Load ownLocks(int threads) {
		return new Load(1, threads, false, false, 0, 1, 1, Duration.ZERO, 1, Duration.ofMillis(400),
				Duration.ofSeconds(1));
	}

	/** Returns a load with threads of one JVM that all request the same lock. */
	static Load hotLock(int threads) {
		return new Load(1, threads, true, false, 0, 1, 1, Duration.ZERO, 1, Duration.ofMillis(400),
				Duration.ofSeconds(2));
	}

	/** Returns a load with threads of several JVMs that all request the same lock. */
	static Load hotLock(int jvms, int threads) {
		return new Load(jvms, threads, true, false, 0, 1, 1, Duration.ZERO, 1, Duration.ofSeconds(1),
				Duration.ofSeconds(3));
	}

	/** Returns this load with virtual threads. */
	Load onVirtualThreads() {
		return new Load(this.jvms, this.threads, this.shared, true, this.readers, this.permits, this.depth, this.hold,
				this.generations, this.shortRound, this.fullRound);
	}

	/** Returns this load with a percentage of holds by readers. */
	Load withReaders(int percent) {
		return new Load(this.jvms, this.threads, this.shared, this.virtual, percent, this.permits, this.depth,
				this.hold, this.generations, this.shortRound, this.fullRound);
	}

	/** Returns this load with permits. */
	Load withPermits(int permits) {
		return new Load(this.jvms, this.threads, this.shared, this.virtual, this.readers, permits, this.depth,
				this.hold, this.generations, this.shortRound, this.fullRound);
	}

	/** Returns this load with re-entered locks. */
	Load reentered(int depth) {
		return new Load(this.jvms, this.threads, this.shared, this.virtual, this.readers, this.permits, depth,
				this.hold, this.generations, this.shortRound, this.fullRound);
	}

	/** Returns this load with a hold time. */
	Load heldFor(Duration hold) {
		return new Load(this.jvms, this.threads, this.shared, this.virtual, this.readers, this.permits, this.depth,
				hold, this.generations, this.shortRound, this.fullRound);
	}

	/**
	 * Returns a load of the same JVMs with another number of threads, each with its own
	 * lock.
	 */
	Load crowd(int threads) {
		return new Load(this.jvms, threads, false, this.virtual, 0, this.permits, 1, Duration.ZERO, 1, this.shortRound,
				this.fullRound);
	}

	/**
	 * Returns this load with repetitions in new JVMs. Two JVMs with the same work may
	 * differ by more than the differences to be measured.
	 */
	Load inNewJvms(int generations) {
		return new Load(this.jvms, this.threads, this.shared, this.virtual, this.readers, this.permits, this.depth,
				this.hold, generations, this.shortRound, this.fullRound);
	}

	String describe() {
		return String.format(Locale.ROOT, "%d JVM%s × %d %sthread%s, %s%s%s%s%s", this.jvms, (this.jvms > 1) ? "s" : "",
				this.threads, this.virtual ? "virtual " : "", (this.threads > 1) ? "s" : "",
				this.shared ? "all on the same lock" : "each on its own lock",
				(this.permits > 1) ? " with " + this.permits + " permits" : "",
				this.hold.isZero() ? "" : ", held for " + this.hold.toMillis() + " ms",
				(this.depth > 1) ? ", taken " + this.depth + " times over" : "",
				(this.readers > 0) ? ", " + this.readers + " % readers" : "");
	}

}
