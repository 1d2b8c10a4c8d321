package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.RenewalReply;
import io.lockstarter.engine.command.Commands;
import io.lockstarter.engine.event.Listeners;
import io.lockstarter.engine.lease.HeldLease;
import io.lockstarter.engine.lease.Lease;
import io.lockstarter.engine.lease.Moment;
import io.lockstarter.timer.Timer;
import org.jspecify.annotations.Nullable;

/**
 * Upkeep of one tenure, which begins with {@link #start()}: its lease is renewed and
 * extended, the end of the lease is noticed, its hold count is written, and its holders
 * are notified of renewals. Thread-safe.
 */
final class LeaseKeeper implements Runnable {

	private static final long LONGEST_GRID_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final long LONGEST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final Tenure tenure;

	private final HeldLease lease;

	private final LocalLock lock;

	private final LockServices services;

	private long renewAt;

	private boolean renewing;

	private Timer.@Nullable Task task;

	private @Nullable HoldCountWriter counts;

	/**
	 * Creates the upkeep of a tenure.
	 * @param lock is notified when the tenure or a hold is lost
	 */
	LeaseKeeper(Tenure tenure, LocalLock lock, LockServices services) {
		this.tenure = tenure;
		this.lease = tenure.lease();
		this.lock = lock;
		this.services = services;
	}

	/** Begins to renew the lease, or to watch its end, unless the tenure has ended. */
	synchronized void start() {
		Lease first = this.lease.current();
		renewAfter(first.start().nanos(), first.usableNanos());
		schedule();
	}

	/** Ends with the tenure. */
	void stop() {
		schedule();
		HoldCountWriter writer = counts(false);
		if (writer != null) {
			writer.end();
		}
	}

	boolean hasEnded() {
		return this.lease.hasEnded();
	}

	/** Returns how long the command that renews the lease may take. */
	long timeoutNanos() {
		return Commands.timeoutNanos(this.lease.time());
	}

	/** Returns the command that renews the lease for its full time. */
	LockBackend.Renew renewal() {
		return this.tenure.renewal(this.lease.time());
	}

	/** Renews a third of the lease later, a little earlier where that joins a batch. */
	private void renewAfter(long nanos, long leaseNanos) {
		long at = nanos + leaseNanos / 3;
		long gridNanos = Math.max(1, Math.min(this.lease.time().toNanos() / 60, LONGEST_GRID_NANOS));
		this.renewAt = at - Math.floorMod(at, gridNanos);
	}

	/** Sets the next time to inspect the lease, or none if the tenure has ended. */
	private synchronized void schedule() {
		if (this.task != null) {
			this.task.cancel();
			this.task = null;
		}
		if (!hasEnded()) {
			this.task = this.services.timer().urgentlyAt(next(), this);
		}
	}

	/** Returns when the lease is to be renewed, or ends by the clock that is ahead. */
	private long next() {
		Lease current = this.lease.current();
		if (mayRenew() && this.renewAt - current.deadlineNanos() < 0) {
			return this.renewAt;
		}
		return System.nanoTime() + current.remainingNanos(this.lock.now());
	}

	/** Renews the lease at once: more of it is over than it seemed. */
	synchronized void renewNow() {
		this.renewAt = System.nanoTime();
		schedule();
	}

	private boolean mayRenew() {
		return this.lease.isRenewed() && this.lease.stopReason() == null && !this.renewing
				&& this.services.watchdog().goOn();
	}

	/** Inspects the lease when its time has come. */
	@Override
	public void run() {
		if (!this.lease.isValid(this.lock.now())) {
			this.lock.lose(this.tenure, this.lease.reasonOfExpiry());
			return;
		}
		if (isDue()) {
			endHoldsThatAreOver();
		}
		synchronized (this) {
			if (isDue()) {
				this.renewing = true;
				this.services.watchdog().due(this);
			}
			if (!this.renewing || isEndNear()) {
				schedule();
			}
		}
	}

	/** Returns whether the lease may run out before a renewal is answered. */
	private boolean isEndNear() {
		return this.lease.current().remainingNanos(this.lock.now()) < 2 * timeoutNanos();
	}

	private synchronized boolean isDue() {
		return !hasEnded() && mayRenew() && this.renewAt - System.nanoTime() <= 0;
	}

	/**
	 * Ends the holds that are to last no longer than their lease: their owner has ended,
	 * or they have been held for too long. Where others go on, those end alone. Where
	 * none does, the lease is no longer renewed.
	 */
	private void endHoldsThatAreOver() {
		List<Hold> holds = this.tenure.holds().all();
		Map<Hold, LockLoss.Reason> over = Map.of();
		for (Hold hold : holds) {
			LockLoss.Reason reason = reasonToEnd(hold);
			if (reason != null) {
				over = over.isEmpty() ? new LinkedHashMap<>() : over;
				over.put(hold, reason);
			}
		}
		if (!over.isEmpty() && over.size() == holds.size()) {
			LockLoss.Reason reason = over.values().iterator().next();
			this.lock.whileUnchanged(() -> stopUnlessOthersHold(reason));
		}
		else {
			over.forEach(this.lock::lose);
		}
	}

	private LockLoss.@Nullable Reason reasonToEnd(Hold hold) {
		return hold.reasonToEnd(this.services.maxHoldTime());
	}

	/** The tenure may have been handed over meanwhile, and cannot be afterwards. */
	private void stopUnlessOthersHold(LockLoss.Reason reason) {
		List<Hold> holds = this.tenure.holds().all();
		if (!holds.isEmpty() && holds.stream().allMatch((hold) -> reasonToEnd(hold) != null)) {
			this.lease.stopRenewing(reason);
		}
	}

	/**
	 * Takes the reply to a renewal.
	 * @param start the moment before it was sent
	 * @param verdict the reply, or {@code null} if it has failed
	 */
	void answered(Moment start, @Nullable RenewalReply verdict, @Nullable Throwable failure) {
		synchronized (this) {
			this.renewing = false;
			if (hasEnded()) {
				return;
			}
		}
		if (verdict == null) {
			failed(Objects.requireNonNull(failure));
		}
		else if (verdict.held()) {
			renewed(start);
		}
		else {
			this.lock.lose(this.tenure, LockLoss.Reason.NOT_OWNED);
		}
	}

	private void renewed(Moment start) {
		boolean again = this.lease.isFailing();
		this.lease.confirm(Lease.of(start, this.lease.time()), this.lock.now());
		long leaseNanos = this.lease.time().toNanos();
		synchronized (this) {
			renewAfter(start.nanos(), again ? spread(leaseNanos) : leaseNanos);
			schedule();
		}
		notifyListeners(LockListener::renewed);
	}

	/**
	 * An outage ends for all leases at once: what comes next is spread, or they would be
	 * renewed in bursts from then on.
	 * @return between a half and the whole
	 */
	private static long spread(long nanos) {
		return nanos - ThreadLocalRandom.current().nextLong(nanos / 2 + 1);
	}

	private void failed(Throwable failure) {
		this.lease.renewalFailed();
		synchronized (this) {
			long pause = Math.min(this.lease.current().usableNanos() / 12, LONGEST_RETRY_NANOS);
			this.renewAt = System.nanoTime() + spread(pause);
			schedule();
		}
		notifyListeners((listener, handle) -> listener.renewalFailed(handle, failure));
	}

	private void notifyListeners(BiConsumer<LockListener, LockHandle> event) {
		Listeners listeners = this.services.listeners();
		if (!listeners.isEmpty()) {
			this.tenure.holds().all().forEach((hold) -> {
				LockHandle handle = this.services.handles().apply(hold);
				listeners.tellOfRenewal((listener) -> event.accept(listener, handle));
			});
		}
	}

	/**
	 * Asks the backend for a lease of another length, for one hold.
	 * @return completes when the lease is confirmed; exceptionally if the hold is gone
	 */
	CompletableFuture<?> extend(Hold hold, Duration longer) {
		Moment start = hold.now();
		this.lease.extending(longer);
		return this.services.commands()
			.renew(this.tenure.renewal(longer), this.lease.time())
			.thenAccept((verdict) -> extended(hold, longer, start, verdict));
	}

	private void extended(Hold hold, Duration longer, Moment start, RenewalReply verdict) {
		if (!verdict.held()) {
			this.lock.lose(this.tenure, LockLoss.Reason.NOT_OWNED);
			throw hold.gone();
		}
		this.lease.extend(Lease.of(start, longer), hold.now());
		schedule();
		if (!hold.isHeld()) {
			if (hasEnded()) {
				// The tenure must not live on by the reply, unless others have it now.
				this.services.commands().endForSure(this.tenure.name(), this.tenure.id(), longer);
			}
			throw hold.gone();
		}
	}

	/** Writes the hold count soon, since it has changed. */
	void countChanged() {
		Objects.requireNonNull(counts(true)).countChanged();
	}

	/** Most holds are entered once only: their count is never written. */
	private synchronized @Nullable HoldCountWriter counts(boolean needed) {
		if (this.counts == null && needed) {
			this.counts = new HoldCountWriter(this.tenure, this.services.commands(), this.services.timer(),
					() -> this.lock.lose(this.tenure, LockLoss.Reason.NOT_OWNED));
		}
		return this.counts;
	}

}
