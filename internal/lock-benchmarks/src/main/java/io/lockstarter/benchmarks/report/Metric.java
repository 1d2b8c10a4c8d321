package io.lockstarter.benchmarks.report;

/**
 * Metric of a figure.
 */
public enum Metric {

	/** Holds in a second. */
	THROUGHPUT("cycles/s", 0, true),
	/** The median wait for a lock. */
	WAIT_P50("wait p50, µs", 1, true),
	/** The wait that one in a hundred exceeds. */
	WAIT_P99("wait p99, µs", 1, true),
	/** The longest wait. */
	WAIT_MAX("wait max, µs", 0, true),
	/** The share of the thread with the fewest holds, as part of the mean. */
	SHARE_MIN("least share", 3, false),
	/** The share of the thread with the most holds, as part of the mean. */
	SHARE_MAX("greatest share", 3, false),
	/** EVALSHA and EVAL for each hold. */
	SCRIPT_CALLS("script calls/cycle", 4, false),
	/** Commands that were sent for each hold. */
	SENT("commands sent/cycle", 3, true),
	/** Commands that Redis ran for each hold, including those inside scripts. */
	COMMANDS("all commands/cycle", 3, true),
	/** Processor time of the measured JVMs for each hold. */
	CPU("client CPU/cycle, µs", 2, true),
	/** Time that scripts ran in Redis for each hold, with the commands inside them. */
	SCRIPT_TIME("script time/cycle, µs", 2, true),
	/** Processor time of the Redis processes for each hold. */
	SERVER_CPU("Redis CPU/cycle, µs", 2, true),
	/**
	 * The part of the time in which the lock, or its permits, were held, if all threads
	 * request it.
	 */
	IN_USE("lock in use, %", 1, false),
	/**
	 * Holds that were not exclusive, exceeded the permits, were lost from the counter, or
	 * had a token that did not rise.
	 */
	VIOLATIONS("violations", 0, false),
	/** The median time from the start of a release to the next holder's return. */
	WAKE_UP_P50("wake-up p50, µs", 0, true),
	/**
	 * The time from the start of a release to the next holder's return that one in a
	 * hundred exceeds.
	 */
	WAKE_UP_P99("wake-up p99, µs", 0, true),
	/** Locks that were no longer held at the end, according to Redis or the library. */
	LOST("locks lost", 0, false),
	/** Processor time of the client in each second. */
	CORES("client CPU, cores", 4, true),
	/** EVALSHA and EVAL in each second. */
	SCRIPTS_PER_SECOND("script calls/s", 1, true),
	/** Commands that Redis ran in each second, including those inside scripts. */
	COMMANDS_PER_SECOND("all commands/s", 0, true),
	/** Live threads of the client. */
	THREADS("client threads", 0, false),
	/** Threads of the library that used processor time. */
	BUSY_THREADS("busy threads of the library", 0, false),
	/** Heap that each lock takes while it is held. */
	HEAP_PER_LOCK("heap/lock held, bytes", 0, true),
	/** Memory of Redis that each lock takes while it is held. */
	REDIS_PER_LOCK("Redis memory/lock held, bytes", 0, true),
	/** Time that a new JVM takes for its first locks. */
	FIRST_LOCKS("first 10,000 locks, s", 2, true),
	/** Processor time that a new JVM takes for its first locks. */
	FIRST_LOCKS_CPU("client CPU, s", 2, true),
	/** Heap that is still in use after many names were locked once. */
	RETAINED("heap retained, MB", 2, false),
	/** Redis keys that are left after the retention. */
	KEYS_LEFT("keys left in Redis", 0, false),
	/** The time from the start of a JVM until its application is ready. */
	READY("ready, ms", 0, true),
	/** The time from the start of a JVM until its first call is done. */
	FIRST_CALL("first call done, ms", 0, true),
	/** Processor time of a JVM until its first call is done. */
	FIRST_CALL_CPU("client CPU, ms", 0, true),
	/** The classes that a JVM has loaded after its first call. */
	CLASSES("classes loaded", 0, false),
	/** The threads of an application that is ready. */
	THREADS_READY("threads at ready", 0, false),
	/** The threads of an application after its first call. */
	THREADS_CALLED("threads after the call", 0, false),
	/** The commands that an idle application sends to Redis. */
	IDLE_COMMANDS("commands while idle", 0, false),
	/** Jars that a library adds to the class path. */
	ADDED_JARS("added jars, MB", 2, false),
	/** The time that one call takes. */
	CALL("ns/call", 0, false),
	/** Statements that the database runs for each call. */
	STATEMENTS("statements/call", 3, false);

	private final String title;

	private final int decimals;

	private final boolean comparable;

	Metric(String title, int decimals, boolean comparable) {
		this.title = title;
		this.decimals = decimals;
		this.comparable = comparable;
	}

	/**
	 * Returns the title of a column with such figures.
	 * @return the title, with the unit
	 */
	public String title() {
		return this.title;
	}

	/**
	 * Returns whether the ratio of two such figures is meaningful.
	 * @return {@code true} if so
	 */
	public boolean comparable() {
		return this.comparable;
	}

	/**
	 * Formats a figure.
	 * @param value the figure
	 * @return the text
	 */
	public String format(double value) {
		return Numbers.format(value, this.decimals);
	}

}
