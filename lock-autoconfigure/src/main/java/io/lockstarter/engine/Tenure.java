package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.TenureId;
import org.jspecify.annotations.Nullable;

/**
 * The span in which this JVM holds a lock in the backend: alone, then several holds may
 * follow one another in it, or as a reader, then many may share it. Its holds change only
 * under the monitor of the {@link LocalLock}.
 */
final class Tenure {

	private final LocalLock lock;

	private final String name;

	private final TenureId id;

	private final Duration leaseTime;

	private final LockType type;

	private final String holder;

	private final long base;

	private final boolean renewed;

	private final FencingTokens tokens;

	private final ContentionBudget budget;

	private final TenureHolds holds = new TenureHolds();

	private final CountWriter countWriter;

	private final Watchdog.Watch watch;

	private volatile Lease lease;

	/** Until when the backend may keep it by extensions, by the monotonic clock. */
	private volatile long extendedUntil;

	private volatile boolean failing;

	private volatile boolean extended;

	private volatile LockLoss.@Nullable Reason stopReason;

	private volatile boolean shared;

	private volatile boolean ended;

	Tenure(LocalLock lock, LockBackend.Acquire command, long base, boolean renewed, Lease lease,
			ContentionBudget budget) {
		this.lock = lock;
		this.name = command.name();
		this.id = command.tenure();
		this.leaseTime = command.lease();
		this.type = command.type();
		this.holder = command.holder();
		this.base = base;
		this.shared = command.type().isShared();
		this.renewed = renewed;
		this.tokens = new FencingTokens(base);
		this.lease = lease;
		this.extendedUntil = lease.start().nanos();
		this.budget = budget;
		this.countWriter = new CountWriter(this);
		this.watch = new Watchdog.Watch(this);
	}

	LocalLock lock() {
		return this.lock;
	}

	String name() {
		return this.name;
	}

	TenureId id() {
		return this.id;
	}

	Duration leaseTime() {
		return this.leaseTime;
	}

	boolean isRenewed() {
		return this.renewed;
	}

	/** What keeps the tenure from being handed on for ever. */
	ContentionBudget budget() {
		return this.budget;
	}

	/** Whether readers share the lock, here and elsewhere. */
	boolean isShared() {
		return this.shared;
	}

	/** From now on it is a reader's. */
	void share() {
		this.shared = true;
	}

	/** Who holds the lock in this tenure. */
	TenureHolds holds() {
		return this.holds;
	}

	/** Whether nobody holds it, so that it may be handed on. */
	boolean isUnheld() {
		return this.holds.isEmpty();
	}

	/** Whether no work goes on under it any more: it is only kept. */
	boolean isLeft() {
		List<Hold> all = this.holds.all();
		return !all.isEmpty() && all.stream().allMatch(Hold::isLeft);
	}

	/** For how long it is kept yet. */
	Duration keptFor() {
		return this.holds.all()
			.stream()
			.map((hold) -> hold.kept().remaining())
			.reduce(Duration.ZERO, (a, b) -> (a.compareTo(b) > 0) ? a : b);
	}

	Hold begin(Waiter waiter, Moment now) {
		return begin(waiter, this.tokens.take(), now);
	}

	/** Let the one who excludes others read as well, under the same token. */
	Hold beginReading(Waiter waiter, Hold writing, Moment now) {
		return begin(waiter, writing.token(), now);
	}

	private Hold begin(Waiter waiter, long token, Moment now) {
		Hold begun = new Hold(this, waiter.request(), waiter.owner(), token, now);
		this.holds.add(begun);
		return begun;
	}

	/** The absolute hold count, for the backend: 1 at least while the tenure lasts. */
	int count() {
		Hold current = this.holds.exclusive();
		return (current != null) ? Math.max(1, current.count()) : 1;
	}

	Lease lease() {
		return this.lease;
	}

	boolean isValid() {
		return isValid(Moment.now());
	}

	boolean isValid(Moment now) {
		return this.lease.remainingNanos(now) > 0;
	}

	/** Whether the next hold would have most of the lease before it. */
	boolean isFresh(Moment now) {
		Lease current = this.lease;
		return current.remainingNanos(now) > current.usableNanos() / 2;
	}

	/** The backend has confirmed a lease; it never moves the deadline back. */
	synchronized void confirm(Lease confirmed, Moment now) {
		this.failing = false;
		if (confirmed.remainingNanos(now) > this.lease.remainingNanos(now)) {
			this.lease = confirmed;
		}
	}

	/** A holder asks for a lease of its own measure, whatever the answer will be. */
	synchronized void extending(Duration lease) {
		long until = System.nanoTime() + Commands.LONGEST_NANOS + lease.toNanos();
		if (until - this.extendedUntil > 0) {
			this.extendedUntil = until;
		}
	}

	/**
	 * For how long the backend may keep it yet if it does not learn that it has ended.
	 */
	Duration longestRest(Moment now) {
		Duration extended = Duration.ofNanos(this.extendedUntil - now.nanos());
		return (extended.compareTo(this.leaseTime) > 0) ? extended : this.leaseTime;
	}

	/** A holder has been given a lease of its own measure. */
	void extend(Lease confirmed) {
		this.extended = true;
		confirm(confirmed, Moment.now());
	}

	boolean isFailing() {
		return this.failing;
	}

	void renewalFailed() {
		this.failing = true;
	}

	/** Why the watchdog no longer renews the lease, or {@code null}. */
	LockLoss.@Nullable Reason stopReason() {
		return this.stopReason;
	}

	void stopRenewing(LockLoss.Reason reason) {
		this.stopReason = reason;
	}

	LockLoss.Reason reasonOfExpiry() {
		return Objects.requireNonNullElse(this.stopReason, LockLoss.Reason.LEASE_EXPIRED);
	}

	/** Whether the hold of a request may follow, or join, without asking the backend. */
	boolean canTake(Waiter waiter, Moment now) {
		return this.renewed && !this.extended && this.stopReason == null && !this.tokens.isEmpty()
				&& waiter.canUse(this) && isFresh(now);
	}

	/** Keeps the lease alive. */
	Watchdog.Watch watch() {
		return this.watch;
	}

	/** Neither renew the lease nor write the count any more. */
	void end() {
		this.ended = true;
	}

	/** Remove what would have renewed the lease and written the count. */
	void stopRenewal() {
		this.watch.schedule();
		this.countWriter.end();
	}

	/** Whether it was given up, or lost. */
	boolean hasEnded() {
		return this.ended;
	}

	/** Tells the backend the hold count. */
	CountWriter countWriter() {
		return this.countWriter;
	}

	/** Asks the backend for a lease, and to put the tenure back where it is forgotten. */
	LockBackend.Renew renewal(Duration lease) {
		// On its way to a reader's it is neither the one nor the other.
		boolean certain = this.shared || this.holds.exclusive() != null;
		LockBackend.Terms terms = certain
				? new LockBackend.Terms(this.shared ? LockType.READ : this.type, this.holder, this.base) : null;
		return new LockBackend.Renew(this.name, this.id, count(), lease, terms);
	}

}
