package io.lockstarter.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * One request in the queue of its name. The result completes once: with the hold, with
 * {@code null} if the lock is not free and the request does not wait, or with an error.
 */
final class Waiter {

	private final LockRequest request;

	private final LockOwner owner;

	private final Duration waitTime;

	private final Duration lease;

	private final Moment since = Moment.now();

	private final CompletableFuture<@Nullable Handle> result = new CompletableFuture<>();

	private volatile @Nullable LocalLock lock;

	private volatile boolean lastTry;

	private long answersBefore;

	private volatile @Nullable Holder holder;

	Waiter(LockRequest request, LockOwner owner, Duration waitTime, Duration lease) {
		this.request = request;
		this.owner = owner;
		this.waitTime = (waitTime.compareTo(LockRequest.FOREVER) < 0) ? waitTime : LockRequest.FOREVER;
		this.lease = lease;
	}

	LockRequest request() {
		return this.request;
	}

	LockOwner owner() {
		return this.owner;
	}

	Moment since() {
		return this.since;
	}

	Duration lease() {
		return this.lease;
	}

	boolean isRenewed() {
		return this.request.leaseTime() == null;
	}

	/** Whether the request stays in the queue when it is refused. */
	boolean waits() {
		return !this.lastTry && !this.waitTime.isZero();
	}

	/** From now on a refusal settles the request. */
	void tryLastTime() {
		this.lastTry = true;
	}

	/** Whether any answer has come since the request joined the queue. */
	boolean wasAnswered(long answers) {
		return answers > this.answersBefore;
	}

	boolean waitsForever() {
		return this.waitTime.equals(LockRequest.FOREVER);
	}

	long remainingNanos() {
		return this.waitTime.toNanos() - waitedNanos();
	}

	long waitedNanos() {
		return System.nanoTime() - this.since.nanos();
	}

	Duration waited() {
		return Duration.ofNanos(waitedNanos());
	}

	CompletableFuture<@Nullable Handle> result() {
		return this.result;
	}

	void joined(LocalLock lock, long answers) {
		this.lock = lock;
		this.answersBefore = answers;
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
	boolean withdraw() {
		LocalLock current = this.lock;
		return current != null && current.withdraw(this);
	}

	/** Remember who had the lock when the request was settled without it. */
	void sawHolder(@Nullable Holder holder) {
		this.holder = holder;
	}

	@Nullable Holder holder() {
		return this.holder;
	}

	/**
	 * Whether a tenure that was asked for on behalf of another serves this request too.
	 */
	boolean canUse(Duration lease, boolean renewed) {
		return this.lease.equals(lease) && isRenewed() == renewed;
	}

}
