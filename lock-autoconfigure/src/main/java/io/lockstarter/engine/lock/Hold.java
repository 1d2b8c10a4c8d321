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
 * One outermost acquisition by one owner with its hold count. Changes only under the
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

	/** Of the entries that outlive their thread: whether it may still take it again. */
	private volatile List<BooleanSupplier> outliving = List.of();

	private volatile int count = 1;

	/** Completes when its release is settled, with what is then to be told of it. */
	private volatile @Nullable CompletableFuture<Runnable> ending;

	private volatile @Nullable KeptEntries kept;

	private volatile @Nullable HoldSpan span;

	private volatile State state = State.HELD;

	private volatile @Nullable LockLoss loss;

	/**
	 * Begin a hold.
	 * @param lock where it is released
	 * @param tenure the tenure that it belongs to
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

	/** Where it is released. */
	public LocalLock lock() {
		return Objects.requireNonNull(this.lock);
	}

	/** The present moment, by the clocks that its lease goes by. */
	Moment now() {
		return lock().now();
	}

	TenureId tenure() {
		return this.tenure;
	}

	/** The lease of its tenure. */
	public HeldLease lease() {
		return this.lease;
	}

	public LockRequest request() {
		return this.request;
	}

	public LockOwner owner() {
		return this.owner;
	}

	/** One entry does not end with the thread that has made it. */
	void outliveThread(BooleanSupplier again) {
		List<BooleanSupplier> all = new ArrayList<>(this.outliving);
		all.add(again);
		this.outliving = List.copyOf(all);
	}

	/**
	 * Undo one entry.
	 * @param outlived what it was told if it outlives its thread
	 * @return whether it was the outermost
	 */
	boolean leave(@Nullable BooleanSupplier outlived) {
		if (this.count == 0) {
			throw new LockNotHeldException(this.request, this.owner);
		}
		if (outlived != null) {
			List<BooleanSupplier> rest = new ArrayList<>(this.outliving);
			// Several entries may have been told the same.
			rest.remove(outlived);
			this.outliving = List.copyOf(rest);
		}
		count(this.count - 1);
		return this.count == 0;
	}

	/** Whether all of its entries outlive the thread that has made them. */
	boolean outlivesThread() {
		List<BooleanSupplier> all = this.outliving;
		return !all.isEmpty() && all.size() >= this.count;
	}

	/** Whether the calling thread has taken it, and has gone on to other work. */
	boolean isLeftByThread() {
		return outlivesThread() && this.owner.thread() == Thread.currentThread()
				&& this.outliving.stream().noneMatch(BooleanSupplier::getAsBoolean);
	}

	/** From now on it belongs to no thread; only its handles are left to release it. */
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

	/** Held, and the lease has not run out on the local clock. */
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

	/** The entries whose work is done. */
	public synchronized KeptEntries kept() {
		KeptEntries known = this.kept;
		if (known == null) {
			known = new KeptEntries();
			this.kept = known;
		}
		return known;
	}

	/** Whether no work goes on under it any more. */
	boolean isLeft() {
		KeptEntries known = this.kept;
		return known != null && known.areAll(this.count);
	}

	/** Written under the monitor only; volatile for those who just look. */
	private void count(int count) {
		this.count = count;
	}

	/** There is one as soon as the outermost entry was released. */
	CompletableFuture<Runnable> ending() {
		return Objects.requireNonNull(this.ending);
	}

	void released() {
		this.ending = new CompletableFuture<>();
		this.state = State.RELEASED;
	}

	/** What observes it. */
	public synchronized HoldSpan span() {
		HoldSpan known = this.span;
		if (known == null) {
			known = new HoldSpan();
			this.span = known;
		}
		return known;
	}

	/** Whether anything observes it. */
	boolean isObserved() {
		HoldSpan known = this.span;
		return known != null && known.isObserved();
	}

	/** The hold ends here by a loss. */
	LockLoss lose(LockLoss.Reason reason, Moment now) {
		this.state = State.LOST;
		Instant known = Instant.ofEpochMilli(now.millis());
		long late = Math.max(0, -this.lease.current().remainingNanos(now));
		long earlier = (reason == LockLoss.Reason.NOT_OWNED) ? 0 : late;
		Instant lostAt = known.minusNanos(earlier);
		LockLoss.Reason told = (reason == LockLoss.Reason.NOT_OWNED) ? this.lease.reasonOfDenial() : reason;
		LockLoss lost = new LockLoss(this.request.name(), this.request.metricName(), this.request.type(), this.owner,
				this.token, told, lostAt, Duration.ofNanos(Math.max(0, heldFor(now).toNanos() - earlier)),
				this.request.registry());
		this.loss = lost;
		return lost;
	}

	/** Why the hold is to last no longer than its lease, or {@code null}. */
	LockLoss.@Nullable Reason reasonToEnd(@Nullable Duration longest) {
		if (!this.owner.isAlive() && !outlivesThread()) {
			return LockLoss.Reason.OWNER_ENDED;
		}
		boolean tooLong = longest != null && heldFor().compareTo(longest) >= 0;
		return tooLong ? LockLoss.Reason.MAX_HOLD_TIME : null;
	}

	/** Why the hold is no longer one. */
	public RuntimeException gone() {
		LockLoss lost = this.loss;
		return (lost != null) ? new LockLostException(lost) : new LockNotHeldException(this.request, this.owner);
	}

	/** Why the hold is no longer one, now that the work under it is over. */
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
