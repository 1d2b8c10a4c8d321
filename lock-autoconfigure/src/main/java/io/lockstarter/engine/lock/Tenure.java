package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.engine.lease.FencingTokens;
import io.lockstarter.engine.lease.HeldLease;
import io.lockstarter.engine.lease.Lease;
import io.lockstarter.engine.lease.Moment;
import org.jspecify.annotations.Nullable;

/**
 * Span in which this JVM has a lock in the backend. An exclusive tenure may serve several
 * holds, one after the other. A tenure of readers may serve several holds at once. The
 * holds are modified only under the monitor of the {@link LocalLock}.
 */
public final class Tenure {

	private final @Nullable LocalLock lock;

	private final String name;

	private final TenureId id;

	private final LockType type;

	/** Number of permits that the acquire request named. */
	private final int permits;

	/** Owner that the acquire request named. */
	private final LockOwner requester;

	private final FencingTokens tokens;

	private final MachineSettings settings;

	/** Limit on hand-overs, or {@code null} while no other instance waits. */
	private @Nullable HandoverLimit handovers;

	private final HeldLease lease;

	private final TenureHolds holds = new TenureHolds();

	private volatile Exclusivity mode;

	private volatile @Nullable LeaseWatchdog watchdog;

	/**
	 * Creates a tenure that the backend has granted.
	 * @param lock the lock that releases its holds
	 * @param command the acquire request that was granted
	 * @param base the base of its first fencing tokens
	 * @param requester the request that the command was sent for
	 */
	Tenure(@Nullable LocalLock lock, LockBackend.Acquire command, Waiter requester, long base, Lease lease,
			MachineSettings settings) {
		this.lock = lock;
		this.name = command.name();
		this.id = command.tenure();
		this.type = command.type();
		this.permits = command.permits();
		this.requester = requester.owner();
		this.mode = command.isPermit() ? Exclusivity.PERMIT
				: command.type().isShared() ? Exclusivity.READER : Exclusivity.EXCLUSIVE;
		this.tokens = new FencingTokens(base);
		this.lease = new HeldLease(command.lease(), requester.isRenewed(), lease);
		this.settings = settings;
	}

	public String name() {
		return this.name;
	}

	public TenureId id() {
		return this.id;
	}

	/** Returns the lease of the tenure. */
	HeldLease lease() {
		return this.lease;
	}

	/** Limits hand-overs, because another instance waits or may wait unnoticed. */
	void contend(Moment now) {
		if (this.handovers == null) {
			this.handovers = new HandoverLimit(this.settings.handoverLimit(), now);
		}
	}

	/** Returns whether another instance waits or may wait unnoticed. */
	boolean isContended() {
		return this.handovers != null;
	}

	/** Returns the limit on hand-overs, or {@code null} if there is none. */
	@Nullable HandoverLimit handovers() {
		return this.handovers;
	}

	void handedOver() {
		if (this.handovers != null) {
			this.handovers.handOver();
		}
	}

	/** Returns the exclusivity of its holds. */
	Exclusivity mode() {
		return this.mode;
	}

	/** Returns whether other tenures may exist at the same time. */
	boolean isShared() {
		return this.mode.isShared();
	}

	/** Turns the tenure into one of readers. */
	void share() {
		this.mode = Exclusivity.READER;
	}

	/** Returns the holds in this tenure. */
	TenureHolds holds() {
		return this.holds;
	}

	/** Returns whether the tenure has no hold, so that it may be handed over. */
	boolean isUnheld() {
		return this.holds.isEmpty();
	}

	/**
	 * Returns whether no work runs under the tenure, and it is only held until a minimum
	 * time has passed.
	 */
	boolean isLeft() {
		return !isAtWork((hold) -> true);
	}

	/**
	 * Returns whether work runs, or is about to run, in one of the holds that a filter
	 * selects.
	 */
	boolean isAtWork(Predicate<Hold> meant) {
		List<Hold> all = this.holds.all();
		return all.isEmpty() || all.stream().anyMatch((hold) -> !hold.isLeft() && meant.test(hold));
	}

	/** Returns the time until the last hold of the tenure may be released. */
	public Duration untilDelayedRelease() {
		return this.holds.all()
			.stream()
			.map((hold) -> hold.delayedReleases().remaining())
			.reduce(Duration.ZERO, (a, b) -> (a.compareTo(b) > 0) ? a : b);
	}

	Hold begin(Waiter waiter, Moment now) {
		return begin(waiter, this.tokens.take(), now);
	}

	/** Begins a hold of the writer as a reader, with the same token. */
	Hold beginReading(Waiter waiter, Hold writing, Moment now) {
		return begin(waiter, writing.token(), now);
	}

	private Hold begin(Waiter waiter, long token, Moment now) {
		Hold begun = new Hold(this.lock, id(), this.lease, waiter.request(), waiter.owner(), token, now);
		this.holds.add(begun);
		return begun;
	}

	/**
	 * Returns the absolute hold count for the backend, which is at least 1 while the
	 * tenure lasts.
	 */
	int count() {
		Hold current = this.holds.exclusive();
		return (current != null) ? Math.max(1, current.count()) : 1;
	}

	/**
	 * Returns whether the tenure may begin with the hold of a request. A request that
	 * arrived after the acquire request was sent needs a recent confirmation, as for a
	 * hand-over.
	 */
	boolean canBeginWith(Waiter waiter, Moment now) {
		return hasOptionsOf(waiter) && this.lease.isFresh(now)
				&& (waiter.cameBefore(this.lease.current().start()) || isJustConfirmed(now));
	}

	/**
	 * Returns whether the hold of a request may follow in the tenure, or join it, without
	 * a request to the backend.
	 */
	boolean canTake(Waiter waiter, Moment now) {
		return !this.tokens.isEmpty() && hasOptionsOf(waiter) && this.lease.isForOthers(now) && isJustConfirmed(now);
	}

	/**
	 * Returns whether the backend has recently confirmed the tenure. After that time, the
	 * backend may have lost the tenure, and another JVM may have a higher token.
	 */
	private boolean isJustConfirmed(Moment now) {
		return this.lease.isConfirmedWithin(this.settings.handoverAge(), now);
	}

	/**
	 * Returns whether the tenure has the exclusivity, permits and lease that a request
	 * needs.
	 */
	boolean hasOptionsOf(Waiter waiter) {
		return waiter.mode() == this.mode && waiter.permits() == this.permits
				&& waiter.isRenewed() == this.lease.isRenewed() && waiter.lease().equals(this.lease.time());
	}

	/**
	 * Returns a command that renews the lease, and restores the tenure if the backend has
	 * lost it.
	 */
	LockBackend.Renew renewal(Duration lease) {
		// During a downgrade, the tenure is neither certainly exclusive nor certainly
		// shared.
		boolean certain = this.mode == Exclusivity.READER || this.holds.exclusive() != null;
		// A backend that restores tenures does not support permits.
		LockBackend.TenureProperties properties = (certain && this.mode != Exclusivity.PERMIT)
				? new LockBackend.TenureProperties((this.mode == Exclusivity.READER) ? LockType.READ : this.type,
						this.settings.label(this.requester), this.tokens.base())
				: null;
		return new LockBackend.Renew(name(), id(), count(), lease, properties);
	}

	/** Returns the upkeep of the tenure, which the first call creates. */
	LeaseWatchdog watchdog(EngineContext context) {
		LeaseWatchdog known = this.watchdog;
		return (known != null) ? known : makeWatchdog(context);
	}

	private synchronized LeaseWatchdog makeWatchdog(EngineContext context) {
		LeaseWatchdog known = this.watchdog;
		if (known == null) {
			known = new LeaseWatchdog(this, Objects.requireNonNull(this.lock), context);
			this.watchdog = known;
		}
		return known;
	}

}
