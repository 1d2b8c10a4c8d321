package io.lockstarter.redis.quorum;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.logging.LockLog;
import io.lockstarter.redis.RedisLockBackend;

/**
 * Permission of one server to vote. A marker on the server shows that it has kept its
 * data, or the time from which it votes without them.
 * <p>
 * Safe for use by multiple threads.
 */
final class QuorumMembership {

	private static final LockLog logger = LockLog.of(QuorumMembership.class);

	/** Time for which a marker that was seen need not be checked again: 5 s. */
	private static final long CERTAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

	private final String address;

	private final RedisLockBackend redis;

	private final String marker;

	private final Duration longestLease;

	private final ServerClock clock;

	private volatile boolean joined;

	/** Time of the last request whose reply showed the marker. */
	private volatile long seenAt;

	private volatile boolean announced;

	private final AtomicBoolean joining = new AtomicBoolean();

	QuorumMembership(String address, RedisLockBackend redis, QuorumSettings settings, ServerClock clock) {
		this.address = address;
		this.redis = redis;
		this.marker = settings.keyPrefix() + "quorum";
		this.longestLease = settings.longestLease();
		this.clock = clock;
	}

	/** Returns the key of the marker, which exists once the server has joined. */
	String marker() {
		return this.marker;
	}

	boolean hasJoined() {
		return this.joined;
	}

	/** Returns whether the marker was seen in the last 5 s. */
	boolean isCertain() {
		return this.joined && System.nanoTime() - this.seenAt < CERTAIN_NANOS;
	}

	/**
	 * Reads the marker, or creates it if there is none.
	 * @return a future of the time until the server votes
	 */
	CompletableFuture<Duration> join() {
		long sent = System.nanoTime();
		return this.redis.run(LockBackendException.NO_LOCK, this.redis.scripts().join(this.marker, this.longestLease),
				(reply) -> {
					this.clock.read(reply.number(1), sent);
					this.joined = true;
					this.seenAt = sent;
					return announce(Duration.ofMillis(reply.number(0)));
				});
	}

	private Duration announce(Duration remaining) {
		boolean waits = !remaining.isZero();
		if (waits && !this.announced) {
			logger.info(String.format(Locale.ROOT,
					"Redis at %s has lost its data or is new; it votes in the quorum in %d s, when all locks that it may"
							+ " have lost have expired (distributed-lock.quorum.longest-lease)",
					this.address, remaining.toSeconds() + 1));
		}
		this.announced = waits;
		return remaining;
	}

	/**
	 * Records a reply that showed the marker.
	 * @param sent the time of the request, by {@link System#nanoTime()}
	 */
	void replied(long sent) {
		this.seenAt = sent;
	}

	/**
	 * Handles an abstention, and creates the marker if there is none.
	 * @param millis the time in milliseconds until the server votes, negative if it has
	 * no marker
	 */
	Vote abstained(long millis) {
		if (millis >= 0) {
			return new Vote.Abstained(Duration.ofMillis(millis));
		}
		// Many requests may notice the missing marker at once.
		if (this.joining.compareAndSet(false, true)) {
			TimedCall.begin(this::join).whenComplete((remaining, failure) -> {
				this.joining.set(false);
				if (failure != null) {
					logger.debug("Redis at %s could not be admitted to votes".formatted(this.address), failure);
				}
			});
		}
		return new Vote.Abstained(this.longestLease);
	}

}
