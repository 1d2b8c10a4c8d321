package io.lockstarter.engine.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.engine.event.HoldSpan;
import io.lockstarter.engine.lease.HeldLease;
import io.lockstarter.engine.lease.Moment;
import org.jspecify.annotations.Nullable;

/**
 * Outermost acquisition by one owner, with its hold count. Modified only under the
 * monitor of its {@link LocalLock}.
 */
public final class Hold {

	private final @Nullable LocalLock lock;

	private final TenureId tenure;

	private final HeldLease lease;

	private final LockRequest request;

	private volatile LockOwner owner;

	private final long token;

	private final Moment since;

	/**
	 * Re-entry conditions of the detached entries: each returns whether the thread of the
	 * entry may still re-enter the hold.
	 */
	private volatile List<BooleanSupplier> detached = List.of();

	private volatile int count = 1;

	/**
	 * Future that completes with the release, and supplies the notification of listeners.
	 */
	private volatile @Nullable CompletableFuture<Runnable> ending;

	private volatile @Nullable DelayedReleases delayedReleases;

	private volatile @Nullable HoldSpan span;

	private volatile State state = State.HELD;

	private volatile @Nullable LockLoss loss;

	/**
	 * Creates a hold.
	 * @param lock the lock that releases the hold
	 * @param tenure the tenure that the hold belongs to
	 * @param lease the lease of that tenure
	 */
	Hold(@Nullable LocalLock lock, TenureId tenure, HeldLease lease, LockRequest request, LockOwner owner, long token,
			Moment since) {
		this.lock = lock;
		this.tenure = tenure;
		this.lease = lease;
		this.request = request;
		this.owner = owner;
		this.token = token;
		this.since = since;
	}

	/** Returns the lock that releases the hold. */
	public LocalLock lock() {
		return Objects.requireNonNull(this.lock);
	}

	/** Returns the current moment by the clocks that measure the lease. */
	Moment now() {
		return lock().now();
	}

	TenureId tenure() {
		return this.tenure;
	}

	/** Returns the lease of its tenure. */
	public HeldLease lease() {
		return this.lease;
	}

	public LockRequest request() {
		return this.request;
	}

	public LockOwner owner() {
		return this.owner;
	}

	/** Detaches one entry from the thread that has made it. */
	void detach(BooleanSupplier again) {
		List<BooleanSupplier> all = new ArrayList<>(this.detached);
		all.add(again);
		this.detached = List.copyOf(all);
	}

	/**
	 * Releases one entry.
	 * @param reentry the re-entry condition of the entry if it is detached from its
	 * thread
	 * @return whether the entry was the outermost one
	 */
	boolean leave(@Nullable BooleanSupplier reentry) {
		if (this.count == 0) {
			throw new LockNotHeldException(this.request, this.owner);
		}
		if (reentry != null) {
			List<BooleanSupplier> rest = new ArrayList<>(this.detached);
			// Several entries may have the same re-entry condition.
			rest.remove(reentry);
			this.detached = List.copyOf(rest);
		}
		count(this.count - 1);
		return this.count == 0;
	}

	/** Returns whether all entries are detached from the thread that has made them. */
	boolean isDetached() {
		List<BooleanSupplier> all = this.detached;
		return !all.isEmpty() && all.size() >= this.count;
	}

	/**
	 * Returns whether the calling thread acquired the hold but has continued with other
	 * work.
	 */
	boolean isLeftByThread() {
		return isDetached() && this.owner.thread() == Thread.currentThread()
				&& this.detached.stream().noneMatch(BooleanSupplier::getAsBoolean);
	}

	/**
	 * Replaces the owner by one that is bound to no thread, so that only handles can
	 * release the hold.
	 */
	void disown() {
		this.owner = LockOwner.create(this.owner.toString());
	}

	public long token() {
		return this.token;
	}

	public int count() {
		return this.count;
	}

	public Duration heldFor() {
		return heldFor(now());
	}

	Duration heldFor(Moment until) {
		return Duration.ofNanos(this.since.elapsedNanos(until));
	}

	boolean isHeld() {
		return this.state == State.HELD;
	}

	public boolean isLost() {
		return this.state == State.LOST;
	}

	/**
	 * Returns whether the hold is held and its lease has not expired by the local clock.
	 */
	public boolean isValid() {
		return isValid(now());
	}

	boolean isValid(Moment now) {
		return isHeld() && this.lease.isValid(now);
	}

	public Duration remainingLease() {
		return remainingLease(now());
	}

	Duration remainingLease(Moment now) {
		return isHeld() ? Duration.ofNanos(Math.max(0, this.lease.current().remainingNanos(now))) : Duration.ZERO;
	}

	public @Nullable LockLoss loss() {
		return this.loss;
	}

	void reenter() {
		if (this.count == Integer.MAX_VALUE) {
			throw new Error(String.format(Locale.ROOT, "Lock '%s' has been re-entered %d times", this.request.name(),
					this.count));
		}
		count(this.count + 1);
	}

	/** Returns the entries that are only held until a minimum time has passed. */
	public synchronized DelayedReleases delayedReleases() {
		DelayedReleases known = this.delayedReleases;
		if (known == null) {
			known = new DelayedReleases();
			this.delayedReleases = known;
		}
		return known;
	}

	/** Returns whether no work runs under the hold. */
	boolean isLeft() {
		DelayedReleases known = this.delayedReleases;
		return known != null && known.areAll(this.count);
	}

	/**
	 * Sets the count. The field is written under the monitor only, and is volatile for
	 * readers outside the monitor.
	 */
	private void count(int count) {
		this.count = count;
	}

	/**
	 * Returns the future of the release, which exists once the outermost entry was
	 * released.
	 */
	CompletableFuture<Runnable> ending() {
		return Objects.requireNonNull(this.ending);
	}

	void released() {
		this.ending = new CompletableFuture<>();
		this.state = State.RELEASED;
	}

	/** Returns the observation of the hold. */
	public synchronized HoldSpan span() {
		HoldSpan known = this.span;
		if (known == null) {
			known = new HoldSpan();
			this.span = known;
		}
		return known;
	}

	/** Returns whether the hold is observed. */
	boolean isObserved() {
		HoldSpan known = this.span;
		return known != null && known.isObserved();
	}

	/** Ends the hold with a loss. */
	LockLoss lose(LockLoss.Reason reason, Moment now) {
		this.state = State.LOST;
		Instant known = Instant.ofEpochMilli(now.millis());
		long late = Math.max(0, -this.lease.current().remainingNanos(now));
		long earlier = (reason == LockLoss.Reason.NOT_OWNED) ? 0 : late;
		Instant lostAt = known.minusNanos(earlier);
		LockLoss.Reason reported = (reason == LockLoss.Reason.NOT_OWNED) ? this.lease.reasonOfDenial() : reason;
		LockLoss lost = new LockLoss(this.request.name(), this.request.metricName(), this.request.type(), this.owner,
				this.token, reported, lostAt, Duration.ofNanos(Math.max(0, heldFor(now).toNanos() - earlier)),
				this.request.registry(),
				(reported == LockLoss.Reason.LEASE_EXPIRED) ? this.lease.failedRenewal() : null);
		this.loss = lost;
		return lost;
	}

	/** Returns why the hold must not outlast its current lease, or {@code null}. */
	LockLoss.@Nullable Reason reasonToEnd(@Nullable Duration longest) {
		if (!this.owner.isAlive() && !isDetached()) {
			return LockLoss.Reason.OWNER_ENDED;
		}
		boolean tooLong = longest != null && heldFor().compareTo(longest) >= 0;
		return tooLong ? LockLoss.Reason.MAX_HOLD_TIME : null;
	}

	/** Returns the exception for a hold that has ended. */
	public RuntimeException gone() {
		LockLoss lost = this.loss;
		return (lost != null) ? new LockLostException(lost) : new LockNotHeldException(this.request, this.owner);
	}

	/** Returns the exception for a release of a hold that has ended. */
	RuntimeException goneAtRelease(Moment now) {
		LockLoss lost = this.loss;
		Duration fixed = this.request.leaseTime();
		if (lost == null || fixed == null || lost.reason() != LockLoss.Reason.LEASE_EXPIRED) {
			return gone();
		}
		return new LockLostException(lost, fixed, heldFor(now));
	}

	LockMonitor.Held snapshot() {
		return new LockMonitor.Held(this.request.name(), this.request.metricName(), this.request.type(), this.owner,
				this.count, Instant.ofEpochMilli(this.since.millis()), this.token, remainingLease(), watchdog(),
				this.request.permits(), heldFor());
	}

	private LockMonitor.RenewalState watchdog() {
		if (!this.lease.isRenewed()) {
			return LockMonitor.RenewalState.FIXED_LEASE;
		}
		if (this.lease.stopReason() != null) {
			return LockMonitor.RenewalState.STOPPED;
		}
		return this.lease.isFailing() ? LockMonitor.RenewalState.FAILING : LockMonitor.RenewalState.RENEWING;
	}

	private enum State {

		HELD, RELEASED, LOST

	}

}
