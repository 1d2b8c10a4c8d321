package io.lockstarter.engine.lock;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockObserver;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.LockUpgradeException;
import io.lockstarter.engine.command.Commands;
import io.lockstarter.engine.lease.Moment;
import org.jspecify.annotations.Nullable;

/**
 * Request for a lock, from its arrival until it completes with a hold, a refusal or a
 * failure.
 */
public abstract class Waiter {

	private static final Object REFUSED = new Object();

	private final LockRequest request;

	private final LockOwner owner;

	private final Duration waitTime;

	private final Duration lease;

	/** Time of its arrival, by the monotonic clock in nanoseconds. */
	private final long since;

	private volatile @Nullable Instant seenSince;

	private volatile @Nullable LocalLock lock;

	private volatile boolean lastTry;

	private long repliesBefore;

	private volatile boolean queued;

	private volatile @Nullable Holder holder;

	private volatile LockObserver.@Nullable Wait observed;

	/**
	 * {@link Granted}, {@link #REFUSED} or a failure, or {@code null} until the request
	 * has completed.
	 */
	private volatile @Nullable Object outcome;

	/**
	 * Creates a request.
	 * @param since the time of its arrival, by the monotonic clock in nanoseconds
	 */
	Waiter(LockRequest request, LockOwner owner, Duration waitTime, Duration lease, long since) {
		this.since = since;
		this.request = request;
		this.owner = owner;
		this.waitTime = (waitTime.compareTo(LockRequest.FOREVER) < 0) ? waitTime : LockRequest.FOREVER;
		this.lease = lease;
	}

	public LockRequest request() {
		return this.request;
	}

	public LockOwner owner() {
		return this.owner;
	}

	Duration lease() {
		return this.lease;
	}

	/** Returns the timeout of a command for this request, in nanoseconds. */
	long timeoutNanos() {
		return Commands.timeoutNanos(this.lease);
	}

	boolean isRenewed() {
		return this.request.leaseTime() == null;
	}

	Duration waitTime() {
		return this.waitTime;
	}

	/** Returns whether the request stays in the queue after a refusal. */
	boolean waits() {
		return !this.lastTry && !this.waitTime.isZero();
	}

	/** Lets the next refusal complete the request. */
	void becomeLastTry() {
		this.lastTry = true;
	}

	/**
	 * Returns whether an acquire request that was sent after the arrival of this request
	 * has been replied to.
	 */
	boolean hasReply(long replies) {
		return replies > this.repliesBefore;
	}

	/** Marks the request as made to wait by the backend. */
	void queued() {
		this.queued = true;
	}

	/**
	 * Returns whether the backend has made this request, or those before it, wait. A
	 * request without this mark is still a first attempt.
	 */
	boolean isQueued() {
		return this.queued;
	}

	boolean hasDeadline() {
		return waits() && !this.waitTime.equals(LockRequest.FOREVER);
	}

	public long remainingNanos() {
		return this.waitTime.toNanos() - waitedNanos();
	}

	private long waitedNanos() {
		return System.nanoTime() - this.since;
	}

	public Duration waited() {
		return Duration.ofNanos(waitedNanos());
	}

	/**
	 * Returns the start of the wait by the wall clock, as calculated by the first call.
	 */
	Instant seenSince() {
		Instant known = this.seenSince;
		if (known == null) {
			known = Instant.now().minus(waited()).truncatedTo(ChronoUnit.MILLIS);
			this.seenSince = known;
		}
		return known;
	}

	Duration waited(Moment now) {
		return Duration.ofNanos(Math.max(0, now.nanos() - this.since));
	}

	/** Returns whether the request arrived no later than a moment. */
	boolean cameBefore(Moment moment) {
		return this.since - moment.nanos() <= 0;
	}

	void joined(@Nullable LocalLock lock, long replies) {
		this.lock = lock;
		this.repliesBefore = replies;
	}

	@Nullable LocalLock lock() {
		return this.lock;
	}

	/**
	 * Ends the wait time, and completes the request at once or with the reply in flight.
	 */
	void expire() {
		LocalLock current = this.lock;
		if (current != null) {
			current.expire(this);
		}
	}

	/**
	 * Leaves the queue, or returns {@code false} if the request has already completed.
	 */
	public boolean withdraw() {
		LocalLock current = this.lock;
		return current != null && current.withdraw(this);
	}

	/** Records the holder that blocked the request. */
	void sawHolder(@Nullable Holder holder) {
		this.holder = holder;
	}

	public @Nullable Holder holder() {
		return this.holder;
	}

	/** Sets the observation of the request. */
	public void observe(LockObserver.@Nullable Wait observed) {
		this.observed = observed;
	}

	/** Returns the observation of the request, or {@code null} if there is none. */
	public LockObserver.@Nullable Wait observed() {
		return this.observed;
	}

	/** Returns the exclusivity of the hold that is requested. */
	Exclusivity mode() {
		return Exclusivity.of(this.request);
	}

	/** Returns how many owners may hold the lock at a time. */
	int permits() {
		return this.request.permits();
	}

	/** Returns whether other holds may exist at the same time. */
	boolean isShared() {
		return mode().isShared();
	}

	boolean isReader() {
		return mode() == Exclusivity.READER;
	}

	/** Returns whether no later request may be served first. */
	boolean isFair() {
		return this.request.type() == LockType.FAIR;
	}

	/** Returns whether the backend gives the same reply to both requests. */
	boolean hasConditionsLike(Waiter other) {
		return hasOptionsLike(other) && isFair() == other.isFair();
	}

	/** Returns whether a grant for one request can serve the other. */
	boolean hasOptionsLike(Waiter other) {
		return mode() == other.mode() && permits() == other.permits();
	}

	/** Returns whether the request may barge. */
	boolean mayBarge() {
		return !isShared() && !isFair();
	}

	/**
	 * Returns the failure of a request whose owner holds the lock with another
	 * exclusivity.
	 */
	LockUpgradeException upgradeFailure(Exclusivity held) {
		return (held == Exclusivity.READER && mode() == Exclusivity.EXCLUSIVE)
				? new LockUpgradeException(this.request, this.owner)
				: new LockUpgradeException(this.request, this.owner, held.text(), mode().text());
	}

	void granted(Granted grant) {
		complete(grant);
	}

	public void refused() {
		complete(REFUSED);
	}

	void failed(Throwable failure) {
		complete(failure);
	}

	private void complete(Object outcome) {
		this.outcome = outcome;
		completed();
	}

	/** Handles the completion of the request, perhaps on another thread. */
	abstract void completed();

	/** Returns whether a thread waits that can be signalled to take an unheld lock. */
	abstract boolean hasThread();

	/** Signals the waiting thread to take the unheld lock. */
	abstract void signal();

	public boolean isCompleted() {
		return this.outcome != null;
	}

	/** Returns the grant, or {@code null} if the request completed without the lock. */
	public @Nullable Granted granted() {
		return (this.outcome instanceof Granted granted) ? granted : null;
	}

	/** Returns the failure, or {@code null} if the completed request did not fail. */
	public @Nullable Throwable failure() {
		return (Objects.requireNonNull(this.outcome) instanceof Throwable failure) ? failure : null;
	}

	/**
	 * Grant of a hold to a request.
	 *
	 * @param hold the hold
	 * @param kind the way in which the owner got the hold
	 */
	public record Granted(Hold hold, GrantKind kind) {
	}

}
