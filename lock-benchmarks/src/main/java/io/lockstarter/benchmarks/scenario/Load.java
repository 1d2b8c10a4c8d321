package io.lockstarter.benchmarks.scenario;

import java.time.Duration;
import java.util.Locale;

/**
 * What threads do in a {@link CycleScenario}.
 *
 * @param jvms how many JVMs there are
 * @param threads how many threads each of them has
 * @param shared whether all want the same lock, rather than each its own
 * @param virtual whether the threads are virtual
 * @param readers how many of a hundred holds do not mind others like them
 * @param permits how many may have the same lock at a time; 1 is a lock
 * @param depth how often a thread takes its lock before it releases it as often
 * @param hold how long a lock is held; zero if the options say that
 * @param generations how often there are new JVMs for as many rounds
 * @param shortRound the length of a round in the short form
 * @param fullRound the length of a round in the full form
 */
record Load(int jvms, int threads, boolean shared, boolean virtual, int readers, int permits, int depth, Duration hold,
		int generations, Duration shortRound, Duration fullRound) {

	/** Threads of one JVM that each have a lock of their own. */
	static Load ownLocks(int threads) {
		return new Load(1, threads, false, false, 0, 1, 1, Duration.ZERO, 1, Duration.ofMillis(400),
				Duration.ofSeconds(1));
	}

	/** Threads of one JVM that all want the same lock. */
	static Load hotLock(int threads) {
		return new Load(1, threads, true, false, 0, 1, 1, Duration.ZERO, 1, Duration.ofMillis(400),
				Duration.ofSeconds(2));
	}

	/** Threads of several JVMs that all want the same lock. */
	static Load hotLock(int jvms, int threads) {
		return new Load(jvms, threads, true, false, 0, 1, 1, Duration.ZERO, 1, Duration.ofSeconds(1),
				Duration.ofSeconds(3));
	}

	/** The same with virtual threads. */
	Load onVirtualThreads() {
		return new Load(this.jvms, this.threads, this.shared, true, this.readers, this.permits, this.depth, this.hold,
				this.generations, this.shortRound, this.fullRound);
	}

	/** The same with so many of a hundred holds by readers. */
	Load withReaders(int percent) {
		return new Load(this.jvms, this.threads, this.shared, this.virtual, percent, this.permits, this.depth,
				this.hold, this.generations, this.shortRound, this.fullRound);
	}

	/** The same with locks that so many may have at a time. */
	Load withPermits(int permits) {
		return new Load(this.jvms, this.threads, this.shared, this.virtual, this.readers, permits, this.depth,
				this.hold, this.generations, this.shortRound, this.fullRound);
	}

	/** The same with locks taken several times over. */
	Load reentered(int depth) {
		return new Load(this.jvms, this.threads, this.shared, this.virtual, this.readers, this.permits, depth,
				this.hold, this.generations, this.shortRound, this.fullRound);
	}

	/** The same with locks that are held for a time. */
	Load heldFor(Duration hold) {
		return new Load(this.jvms, this.threads, this.shared, this.virtual, this.readers, this.permits, this.depth,
				hold, this.generations, this.shortRound, this.fullRound);
	}

	/** The same JVMs with so many threads each, which have locks of their own. */
	Load crowd(int threads) {
		return new Load(this.jvms, threads, false, this.virtual, 0, this.permits, 1, Duration.ZERO, 1, this.shortRound,
				this.fullRound);
	}

	/**
	 * The same, and again in new JVMs: one that does just the same may be faster or
	 * slower than another, by more than small differences amount to.
	 */
	Load inNewJvms(int generations) {
		return new Load(this.jvms, this.threads, this.shared, this.virtual, this.readers, this.permits, this.depth,
				this.hold, generations, this.shortRound, this.fullRound);
	}

	String describe() {
		return String.format(Locale.ROOT, "%d JVM%s × %d %sthread%s, %s%s%s%s%s", this.jvms, (this.jvms > 1) ? "s" : "",
				this.threads, this.virtual ? "virtual " : "", (this.threads > 1) ? "s" : "",
				this.shared ? "all on the same lock" : "each on a lock of its own",
				(this.permits > 1) ? " with " + this.permits + " permits" : "",
				this.hold.isZero() ? "" : ", held for " + this.hold.toMillis() + " ms",
				(this.depth > 1) ? ", taken " + this.depth + " times over" : "",
				(this.readers > 0) ? ", " + this.readers + " % readers" : "");
	}

}
