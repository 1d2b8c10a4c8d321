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
 * One request for a lock, from its entry until it is settled: with a hold, with a
 * refusal, or with a failure.
 */
public abstract class Waiter {

	private static final Object REFUSED = new Object();

	private final LockRequest request;

	private final LockOwner owner;

	private final Duration waitTime;

	private final Duration lease;

	/** When it came, by the monotonic clock. */
	private final long since;

	private volatile @Nullable Instant seenSince;

	private volatile @Nullable LocalLock lock;

	private volatile boolean lastTry;

	private long answersBefore;

	private volatile boolean queued;

	private volatile @Nullable Holder holder;

	private volatile LockObserver.@Nullable Wait observed;

	/** {@link Granted}, {@link #REFUSED} or a failure. */
	private volatile @Nullable Object outcome;

	/**
	 * Make a request.
	 * @param since when it comes, by the monotonic clock
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

	/** How long a command on its behalf may take. */
	long timeoutNanos() {
		return Commands.timeoutNanos(this.lease);
	}

	boolean isRenewed() {
		return this.request.leaseTime() == null;
	}

	Duration waitTime() {
		return this.waitTime;
	}

	/** Whether the request stays in the queue when it is refused. */
	boolean waits() {
		return !this.lastTry && !this.waitTime.isZero();
	}

	/** From now on a refusal settles the request. */
	void becomeLastTry() {
		this.lastTry = true;
	}

	/** Whether a question has been answered that was asked after the request had come. */
	boolean wasAnswered(long answers) {
		return answers > this.answersBefore;
	}

	/** From now on the request stands in the queue. */
	void queued() {
		this.queued = true;
	}

	/**
	 * Whether the backend has made the request, or those before it, wait. One that it has
	 * not is a first request.
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

	/** Since when it waits by the wall clock, as reckoned at the first look. */
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

	/** Returns whether the request came before a moment, or at that moment. */
	boolean cameBefore(Moment moment) {
		return this.since - moment.nanos() <= 0;
	}

	void joined(@Nullable LocalLock lock, long answers) {
		this.lock = lock;
		this.answersBefore = answers;
	}

	@Nullable LocalLock lock() {
		return this.lock;
	}

	/**
	 * The wait time is over: settle the request, at once or with the answer under way.
	 */
	void expire() {
		LocalLock current = this.lock;
		if (current != null) {
			current.expire(this);
		}
	}

	/** Leave the queue; {@code false} if the request is settled already. */
	public boolean withdraw() {
		LocalLock current = this.lock;
		return current != null && current.withdraw(this);
	}

	/** Remember who had the lock when the request was settled without it. */
	void sawHolder(@Nullable Holder holder) {
		this.holder = holder;
	}

	public @Nullable Holder holder() {
		return this.holder;
	}

	/** From now on it is accompanied by what observes it. */
	public void observe(LockObserver.@Nullable Wait observed) {
		this.observed = observed;
	}

	/** What accompanies the request, if anything does. */
	public LockObserver.@Nullable Wait observed() {
		return this.observed;
	}

	/** Whom it would have beside it. */
	HoldMode mode() {
		return HoldMode.of(this.request);
	}

	/** How many may hold the lock at a time. */
	int permits() {
		return this.request.permits();
	}

	/** Whether it does not mind others beside it. */
	boolean isShared() {
		return mode().isShared();
	}

	boolean isReader() {
		return mode() == HoldMode.READER;
	}

	/** Whether nobody may come before it who came later. */
	boolean isFair() {
		return this.request.type() == LockType.FAIR;
	}

	/** Whether the backend answers both requests alike. */
	boolean asksLike(Waiter other) {
		return hasTermsLike(other) && isFair() == other.isFair();
	}

	/** Whether what is granted to the one would do for the other. */
	boolean hasTermsLike(Waiter other) {
		return mode() == other.mode() && permits() == other.permits();
	}

	/** Whether it may come before others who wait. */
	boolean mayOvertake() {
		return !isShared() && !isFair();
	}

	/** Why its owner, who has the lock otherwise, cannot have it so. */
	LockUpgradeException upgradeFailure(HoldMode held) {
		return (held == HoldMode.READER && mode() == HoldMode.ALONE)
				? new LockUpgradeException(this.request, this.owner)
				: new LockUpgradeException(this.request, this.owner, held.text(), mode().text());
	}

	void granted(Granted grant) {
		settle(grant);
	}

	public void refused() {
		settle(REFUSED);
	}

	void failed(Throwable failure) {
		settle(failure);
	}

	private void settle(Object outcome) {
		this.outcome = outcome;
		settled();
	}

	/** The request has been settled, perhaps by another thread. */
	abstract void settled();

	/** Whether a thread waits, which can be signalled to take a lock that is on offer. */
	abstract boolean hasThread();

	/** See to it that the thread takes what is on offer. */
	abstract void signal();

	public boolean isSettled() {
		return this.outcome != null;
	}

	/** The hold, or {@code null} if the settled request did not get the lock. */
	public @Nullable Granted granted() {
		return (this.outcome instanceof Granted granted) ? granted : null;
	}

	/** The failure, or {@code null} if the settled request did not fail. */
	public @Nullable Throwable failure() {
		return (Objects.requireNonNull(this.outcome) instanceof Throwable failure) ? failure : null;
	}

	/**
	 * A hold that was given to a request.
	 *
	 * @param hold the hold
	 * @param entry how the owner has come to it
	 */
	public record Granted(Hold hold, Entry entry) {
	}

}
