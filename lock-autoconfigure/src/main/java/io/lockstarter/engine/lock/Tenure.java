package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.engine.lease.FencingTokens;
import io.lockstarter.engine.lease.HeldLease;
import io.lockstarter.engine.lease.Lease;
import io.lockstarter.engine.lease.Moment;
import org.jspecify.annotations.Nullable;

/**
 * The span in which this JVM holds a lock in the backend: alone, then several holds may
 * follow one another in it, or as a reader, then many may share it. Its holds change only
 * under the monitor of the {@link LocalLock}.
 */
public final class Tenure {

	private final @Nullable LocalLock lock;

	private final String name;

	private final TenureId id;

	private final LockType type;

	/** How many may hold the lock beside one another, as far as it is asked. */
	private final int permits;

	/** Its first holder, as shown to others. */
	private final String holder;

	private final FencingTokens tokens;

	private final MachineTerms terms;

	/** There is one while another instance waits. */
	private @Nullable ContentionBudget budget;

	private final HeldLease lease;

	private final TenureHolds holds = new TenureHolds();

	private volatile HoldMode mode;

	private volatile @Nullable LeaseKeeper keeper;

	/**
	 * Begin a tenure that the backend has granted.
	 * @param lock where its holds are released
	 * @param command the question that was answered so
	 * @param base the first of its fencing tokens
	 * @param renewed whether the watchdog renews its lease
	 */
	Tenure(@Nullable LocalLock lock, LockBackend.Acquire command, long base, boolean renewed, Lease lease,
			MachineTerms terms) {
		this.lock = lock;
		this.name = command.name();
		this.id = command.tenure();
		this.type = command.type();
		this.permits = command.permits();
		this.holder = command.holder();
		this.mode = command.isPermit() ? HoldMode.PERMIT : command.type().isShared() ? HoldMode.READER : HoldMode.ALONE;
		this.tokens = new FencingTokens(base);
		this.lease = new HeldLease(command.lease(), renewed, lease);
		this.terms = terms;
	}

	public String name() {
		return this.name;
	}

	public TenureId id() {
		return this.id;
	}

	/** How long it may be relied on. */
	HeldLease lease() {
		return this.lease;
	}

	/** Another instance waits, or may do so unheard: it is not handed on for ever. */
	void contend(Moment now) {
		if (this.budget == null) {
			this.budget = new ContentionBudget(this.terms.handoverLimit(), now);
		}
	}

	/** How long it may be handed on yet; {@code null} for without limit. */
	@Nullable ContentionBudget budget() {
		return this.budget;
	}

	void handedOver() {
		if (this.budget != null) {
			this.budget.handOver();
		}
	}

	/** Who may have the lock beside it, here and elsewhere. */
	HoldMode mode() {
		return this.mode;
	}

	/** Whether others may have the lock beside it. */
	boolean isShared() {
		return this.mode.isShared();
	}

	/** From now on it is a reader's. */
	void share() {
		this.mode = HoldMode.READER;
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
		return !isAtWork((hold) -> true);
	}

	/** Returns whether work goes on under it in a hold that is meant, or will soon. */
	boolean isAtWork(Predicate<Hold> meant) {
		List<Hold> all = this.holds.all();
		return all.isEmpty() || all.stream().anyMatch((hold) -> !hold.isLeft() && meant.test(hold));
	}

	/** For how long it is kept yet. */
	public Duration keptFor() {
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
		Hold begun = new Hold(this.lock, id(), this.lease, waiter.request(), waiter.owner(), token, now);
		this.holds.add(begun);
		return begun;
	}

	/** The absolute hold count, for the backend: 1 at least while the tenure lasts. */
	int count() {
		Hold current = this.holds.exclusive();
		return (current != null) ? Math.max(1, current.count()) : 1;
	}

	/**
	 * Returns whether the tenure may begin with the hold of a request. A request that
	 * came after the acquire was sent needs a recent confirmation, as if the lock were
	 * handed over to it.
	 */
	boolean canBeginWith(Waiter waiter, Moment now) {
		return hasTermsOf(waiter) && this.lease.isFresh(now)
				&& (waiter.cameBefore(this.lease.current().start()) || isJustConfirmed(now));
	}

	/** Whether the hold of a request may follow, or join, without asking the backend. */
	boolean canTake(Waiter waiter, Moment now) {
		return !this.tokens.isEmpty() && hasTermsOf(waiter) && this.lease.isForOthers(now) && isJustConfirmed(now);
	}

	/**
	 * Returns whether the backend confirmed the tenure a short time ago. Afterwards it
	 * may have lost the tenure, and another JVM may have a higher token.
	 */
	private boolean isJustConfirmed(Moment now) {
		return this.lease.isConfirmedWithin(this.terms.handoverAge(), now);
	}

	/** Whether it has the terms that a request asks for. */
	boolean hasTermsOf(Waiter waiter) {
		return waiter.mode() == this.mode && waiter.permits() == this.permits
				&& waiter.isRenewed() == this.lease.isRenewed() && waiter.lease().equals(this.lease.time());
	}

	/** Asks the backend for a lease, and to put the tenure back where it is forgotten. */
	LockBackend.Renew renewal(Duration lease) {
		// On its way to a reader's it is neither the one nor the other.
		boolean certain = this.mode == HoldMode.READER || this.holds.exclusive() != null;
		// One of several permits is not to be had where tenures are put back.
		LockBackend.Terms terms = (certain && this.mode != HoldMode.PERMIT) ? new LockBackend.Terms(
				(this.mode == HoldMode.READER) ? LockType.READ : this.type, this.holder, this.tokens.base()) : null;
		return new LockBackend.Renew(name(), id(), count(), lease, terms);
	}

	/** Returns its upkeep, always the same object, which the first call makes. */
	LeaseKeeper keeper(LockServices services) {
		LeaseKeeper known = this.keeper;
		return (known != null) ? known : makeKeeper(services);
	}

	private synchronized LeaseKeeper makeKeeper(LockServices services) {
		LeaseKeeper known = this.keeper;
		if (known == null) {
			known = new LeaseKeeper(this, Objects.requireNonNull(this.lock), services);
			this.keeper = known;
		}
		return known;
	}

}
