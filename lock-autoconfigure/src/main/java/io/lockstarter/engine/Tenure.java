package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockOwner;
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

	private final TenureId id;

	private final Duration leaseTime;

	private final LockType type;

	private final String holder;

	private final long base;

	private final boolean renewed;

	private final Tokens tokens;

	private final Demand demand;

	private final CountWriter countWriter;

	private final Watchdog.Watch watch;

	private volatile Lease lease;

	/** Until when the backend may keep it by extensions, by the monotonic clock. */
	private volatile long extendedUntil;

	private volatile boolean failing;

	private volatile boolean extended;

	private volatile LockLoss.@Nullable Reason stopReason;

	/** The hold that excludes all others. */
	private volatile @Nullable Hold hold;

	/**
	 * The holds of readers: of any owners if it is shared, else of the one who writes.
	 */
	private volatile Map<LockOwner, Hold> readers = Map.of();

	private volatile boolean shared;

	private volatile boolean downgrading;

	private volatile boolean ended;

	Tenure(LocalLock lock, LockBackend.Acquire command, long base, boolean renewed, Lease lease, Demand demand,
			Watchdog watchdog) {
		this.lock = lock;
		this.id = command.tenure();
		this.leaseTime = command.lease();
		this.type = command.type();
		this.holder = command.holder();
		this.base = base;
		this.shared = command.type().isShared();
		this.renewed = renewed;
		this.tokens = new Tokens(base);
		this.lease = lease;
		this.extendedUntil = lease.start().nanos();
		this.demand = demand;
		this.countWriter = new CountWriter(this);
		this.watch = watchdog.watch(this);
	}

	LocalLock lock() {
		return this.lock;
	}

	String name() {
		return this.lock.name();
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
	Demand demand() {
		return this.demand;
	}

	Tokens tokens() {
		return this.tokens;
	}

	/** Whether readers share the lock, here and elsewhere. */
	boolean isShared() {
		return this.shared;
	}

	/** Others are to be let in, as soon as the backend confirms it. */
	void beginDowngrade() {
		this.downgrading = true;
	}

	/** Whether the backend is asked to let others in, who will not have to wait long. */
	boolean isDowngrading() {
		return this.downgrading;
	}

	/** From now on it is a reader's. */
	void share() {
		this.shared = true;
		this.downgrading = false;
	}

	/** The hold that excludes all others, or {@code null} if there is none. */
	@Nullable Hold hold() {
		return this.hold;
	}

	/** The hold of an owner as a reader, or else as the one who excludes others. */
	@Nullable Hold holdOf(LockOwner owner, boolean reads) {
		if (reads) {
			return this.readers.get(owner);
		}
		Hold current = this.hold;
		return (current != null && current.owner().equals(owner)) ? current : null;
	}

	/** Whether nobody holds it, so that it may be handed on. */
	boolean isUnheld() {
		return this.hold == null && this.readers.isEmpty();
	}

	List<Hold> holds() {
		List<Hold> holds = new ArrayList<>(this.readers.values());
		Hold current = this.hold;
		if (current != null) {
			holds.add(0, current);
		}
		return holds;
	}

	/** Whether no work goes on under it any more: it is only kept. */
	boolean isLeft() {
		List<Hold> holds = holds();
		return !holds.isEmpty() && holds.stream().allMatch(Hold::isLeft);
	}

	/** For how long it is kept yet. */
	Duration keptFor() {
		return holds().stream().map(Hold::keptFor).reduce(Duration.ZERO, (a, b) -> (a.compareTo(b) > 0) ? a : b);
	}

	Hold begin(Waiter waiter, Moment now) {
		Hold begun = new Hold(this, waiter.request(), waiter.owner(), this.tokens.take(), now);
		if (waiter.isShared()) {
			addReader(begun);
		}
		else {
			this.hold = begun;
		}
		return begun;
	}

	/** Let the one who excludes others read as well, under the same token. */
	Hold beginReading(Waiter waiter, Hold writing, Moment now) {
		Hold begun = new Hold(this, waiter.request(), waiter.owner(), writing.token(), now);
		addReader(begun);
		return begun;
	}

	private void addReader(Hold begun) {
		if (!(this.readers instanceof ConcurrentHashMap)) {
			this.readers = new ConcurrentHashMap<>();
		}
		this.readers.put(begun.owner(), begun);
	}

	/** Leave a hold to its handles, which its thread must not take again. */
	void disown(Hold left) {
		if (this.hold == left) {
			left.disown();
		}
		else {
			this.readers.remove(left.owner(), left);
			left.disown();
			addReader(left);
		}
	}

	void endHold(Hold over) {
		if (this.hold == over) {
			this.hold = null;
		}
		else {
			this.readers.remove(over.owner(), over);
		}
	}

	/** The absolute hold count, for the backend: 1 at least while the tenure lasts. */
	int count() {
		Hold current = this.hold;
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
	synchronized void confirm(Lease confirmed) {
		this.failing = false;
		Moment now = Moment.now();
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
	Duration longestRest() {
		Duration extended = Duration.ofNanos(this.extendedUntil - System.nanoTime());
		return (extended.compareTo(this.leaseTime) > 0) ? extended : this.leaseTime;
	}

	/** A holder has been given a lease of its own measure. */
	void extend(Lease confirmed) {
		this.extended = true;
		confirm(confirmed);
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

	/**
	 * Whether the hold of a request may follow, or join, without asking the backend and
	 * without wrong to those who wait elsewhere.
	 */
	boolean canGoTo(Waiter waiter, Moment now) {
		return canTake(waiter, now) && !isUrgentElsewhere(this.shared || waiter.isFair());
	}

	/** Whether the hold of a request may follow, or join, without asking the backend. */
	boolean canTake(Waiter waiter, Moment now) {
		return this.renewed && !this.extended && !this.downgrading && this.stopReason == null && !this.tokens.isEmpty()
				&& waiter.canUse(this) && isFresh(now);
	}

	private boolean isUrgentElsewhere(boolean atOnce) {
		if (!this.demand.isRemote() && !this.lock.engine().commands().isListening()) {
			// Others may wait without being heard.
			this.demand.wanted();
		}
		return atOnce ? this.demand.isRemote() : this.demand.isUrgent();
	}

	/** Keeps the lease alive. */
	Watchdog.Watch watch() {
		return this.watch;
	}

	/** Neither renew the lease nor write the count any more. */
	void end() {
		this.ended = true;
		this.watch.end();
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
		LockBackend.Terms terms = this.downgrading ? null
				: new LockBackend.Terms(this.shared ? LockType.READ : this.type, this.holder, this.base);
		return new LockBackend.Renew(name(), this.id, count(), lease, false, terms);
	}

	/** Ask the backend whether it still knows the tenure, which is lost if not. */
	void verify() {
		var question = new LockBackend.Renew(name(), this.id, count(), Duration.ZERO, false);
		this.lock.engine().commands().renew(question, this.leaseTime, (verdict, failure) -> {
			if (verdict != null && !verdict.held()) {
				this.lock.lose(this, LockLoss.Reason.NOT_OWNED);
			}
		});
	}

	/** Ask the backend for more tokens, ahead of need. */
	void askForTokens() {
		var command = new LockBackend.Renew(name(), this.id, count(), Duration.ZERO, true);
		this.lock.engine().commands().renew(command, this.leaseTime, (verdict, failure) -> {
			synchronized (this.lock) {
				this.tokens.answered((verdict != null) ? verdict.base() : OptionalLong.empty());
			}
			if (verdict != null && !verdict.held()) {
				this.lock.lose(this, LockLoss.Reason.NOT_OWNED);
			}
		});
	}

}
