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
 * Whether one server may vote: a marker there shows that it has kept its memory, or from
 * when on it votes without.
 */
final class QuorumMembership {

	private static final LockLog logger = LockLog.of(QuorumMembership.class);

	private static final long CERTAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

	private final String address;

	private final RedisLockBackend redis;

	private final String marker;

	private final Duration longestLease;

	private final ServerClock clock;

	private volatile boolean joined;

	/** When that was asked whose answer was the last to show the marker. */
	private volatile long shown;

	private volatile boolean announced;

	private final AtomicBoolean joining = new AtomicBoolean();

	QuorumMembership(String address, RedisLockBackend redis, QuorumSettings settings, ServerClock clock) {
		this.address = address;
		this.redis = redis;
		this.marker = settings.keyPrefix() + "quorum";
		this.longestLease = settings.longestLease();
		this.clock = clock;
	}

	/** The key that is there from when the server has joined on. */
	String marker() {
		return this.marker;
	}

	boolean hasJoined() {
		return this.joined;
	}

	/** Whether the marker has been seen in the last seconds. */
	boolean isCertain() {
		return this.joined && System.nanoTime() - this.shown < CERTAIN_NANOS;
	}

	/**
	 * Learn whether the server may vote, and leave a marker from when if there is none.
	 * @return completes with how long it does not vote yet
	 */
	CompletableFuture<Duration> join() {
		long sent = System.nanoTime();
		return this.redis.run(LockBackendException.NO_LOCK, this.redis.scripts().join(this.marker, this.longestLease),
				(reply) -> {
					this.clock.read(reply.number(1), sent);
					this.joined = true;
					this.shown = sent;
					return announce(Duration.ofMillis(reply.number(0)));
				});
	}

	private Duration announce(Duration remaining) {
		boolean waits = !remaining.isZero();
		if (waits && !this.announced) {
			logger.info(String.format(Locale.ROOT,
					"Redis at %s has no memory of locks and takes part in the quorum in %d s, when those that it may"
							+ " have forgotten have run out (distributed-lock.quorum.longest-lease)",
					this.address, remaining.toSeconds() + 1));
		}
		this.announced = waits;
		return remaining;
	}

	/**
	 * The server has answered a command that looks for the marker.
	 * @param sent when it was asked, by {@link System#nanoTime()}
	 */
	void answered(long sent) {
		this.shown = sent;
	}

	/**
	 * The server has not voted; it joins if it is not about to.
	 * @param millis how long it does not vote yet, negative if it has no marker
	 */
	Vote abstained(long millis) {
		if (millis >= 0) {
			return new Vote.Abstained(Duration.ofMillis(millis));
		}
		// Many may notice at once.
		if (this.joining.compareAndSet(false, true)) {
			TimedCall.begin(this::join).whenComplete((remaining, failure) -> {
				this.joining.set(false);
				if (failure != null) {
					logger.debug("Redis at %s cannot be made to vote yet".formatted(this.address), failure);
				}
			});
		}
		return new Vote.Abstained(this.longestLease);
	}

}
