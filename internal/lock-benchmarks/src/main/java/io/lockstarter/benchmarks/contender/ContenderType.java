package io.lockstarter.benchmarks.contender;

import java.util.Arrays;
import java.util.function.Function;

/**
 * Compared library in one of its modes.
 */
public enum ContenderType {

	/** Lock Starter as it comes. */
	OURS("ours", "Lock Starter", LockStarter::start),
	/** Lock Starter without handing a lock over between the threads of a JVM. */
	OURS_OFF("ours-off", "Lock Starter, hand-over off", LockStarter::withoutHandover),
	/** Lock Starter whose releases are sent and not awaited. */
	OURS_SENT("ours-sent", "Lock Starter, release=send", LockStarter::sendingReleases),
	/** Lock Starter with everything that observes it. */
	OURS_OBSERVED("ours-observed", "Lock Starter, observed", LockStarter::observed),
	/** Lock Starter's fair lock. */
	OURS_FAIR("ours-fair", "Lock Starter, fair", LockStarter::fair),
	/** Lock Starter's lock in a majority of five servers. */
	OURS_QUORUM("ours-quorum", "Lock Starter, quorum of 5", LockStarter::quorum),
	/** Redisson with its watchdog. */
	REDISSON("redisson", "Redisson, renewed", RedissonLocks::renewed),
	/** Redisson without its watchdog. */
	REDISSON_FIXED("redisson-fixed", "Redisson, fixed lease", RedissonLocks::fixed),
	/** Redisson's fair lock. */
	REDISSON_FAIR("redisson-fair", "Redisson, fair", RedissonLocks::fair),
	/** Redisson's read/write lock. */
	REDISSON_READERS("redisson-rw", "Redisson, read/write", RedissonLocks::readWrite),
	/** Redisson's semaphore. */
	REDISSON_SEMAPHORE("redisson-semaphore", "Redisson, RSemaphore", RedissonSemaphore::start),
	/** Redisson's semaphore whose permits have a lease. */
	REDISSON_PERMITS("redisson-permits", "Redisson, RPermitExpirableSemaphore", RedissonPermits::start),
	/** Redisson's lock in a majority of five servers. */
	REDISSON_QUORUM("redisson-quorum", "Redisson, RedLock of 5", RedissonQuorum::start),
	/** Spring Integration with polling. */
	INTEGRATION_SPIN("si-spin", "Spring Integration, spin", SpringIntegration::spin),
	/** Spring Integration, which waits for messages. */
	INTEGRATION_PUBSUB("si-pubsub", "Spring Integration, pub/sub", SpringIntegration::pubSub),
	/** ShedLock with retries. */
	SHEDLOCK("shedlock", "ShedLock, retried", ShedLock::start),
	/** Lock4j by its template. */
	LOCK4J("lock4j", "Lock4j, RedisTemplate", Lock4jTemplate::start),
	/** The floor: two round trips. */
	RAW("raw", "raw Lettuce", RawLettuce::start),
	/** The floor with Spring Data Redis. */
	RAW_TEMPLATE("raw-template", "raw RedisTemplate", RawRedisTemplate::start),
	/** The ceiling: no Redis at all. */
	JAVA("java", "java.util ReentrantLock", InProcess::start);

	private static final int QUORUM = 5;

	private final String id;

	private final String title;

	@SuppressWarnings("ImmutableEnumChecker") // References to static methods only
	private final Function<Setup, Contender> starter;

	ContenderType(String id, String title, Function<Setup, Contender> starter) {
		this.id = id;
		this.title = title;
		this.starter = starter;
	}

	/**
	 * Returns the contender's name in options.
	 * @return the name
	 */
	public String id() {
		return this.id;
	}

	/**
	 * Returns the contender's name in reports.
	 * @return the name
	 */
	public String title() {
		return this.title;
	}

	/**
	 * Returns the prefix of the names of threads that the library creates.
	 * @return the prefix
	 */
	public String threadPrefix() {
		return switch (this) {
			case OURS, OURS_OFF, OURS_SENT, OURS_OBSERVED, OURS_FAIR, OURS_QUORUM -> "lock-";
			case REDISSON, REDISSON_FIXED, REDISSON_FAIR, REDISSON_READERS, REDISSON_SEMAPHORE, REDISSON_PERMITS,
					REDISSON_QUORUM ->
				"redisson-";
			default -> "lettuce-";
		};
	}

	/**
	 * Returns the number of independent servers of the contender.
	 * @return the number of servers
	 */
	public int servers() {
		return (this == OURS_QUORUM || this == REDISSON_QUORUM) ? QUORUM : 1;
	}

	/**
	 * Starts the contender.
	 * @param setup the setup
	 * @return the contender, ready
	 */
	public Contender start(Setup setup) {
		return this.starter.apply(setup);
	}

	/**
	 * Returns a contender by its name.
	 * @param id the name in options
	 * @return the contender
	 */
	public static ContenderType of(String id) {
		return Arrays.stream(values())
			.filter((type) -> type.id.equals(id))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("There is no contender '%s'; known contenders: %s"
				.formatted(id, Arrays.stream(values()).map(ContenderType::id).toList())));
	}

}
