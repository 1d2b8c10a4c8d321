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

import io.lockstarter.core.LockBackendException;
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
 * Watchdog of one tenure. From {@link #start()} on, it schedules the renewals of the
 * lease, extends the lease, detects its end, writes the hold count and notifies holders
 * of renewals. Thread-safe.
 */
final class LeaseWatchdog implements Runnable {

	/** Maximum time by which a renewal is moved forward to join a batch: 100 ms. */
	private static final long LONGEST_GRID_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	/** Maximum retry interval of a failed renewal: 1 s. */
	private static final long LONGEST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final Tenure tenure;

	private final HeldLease lease;

	private final LocalLock lock;

	private final EngineContext context;

	private long renewAt;

	private boolean renewing;

	private Timer.@Nullable Task task;

	private @Nullable HoldCountWriter counts;

	/**
	 * Creates the upkeep of a tenure.
	 * @param lock is notified when the tenure or a hold is lost
	 */
	LeaseWatchdog(Tenure tenure, LocalLock lock, EngineContext context) {
		this.tenure = tenure;
		this.lease = tenure.lease();
		this.lock = lock;
		this.context = context;
	}

	/** Starts to renew the lease or to watch for its end, unless the tenure has ended. */
	synchronized void start() {
		Lease first = this.lease.current();
		renewAfter(first.start().nanos(), first.usableNanos());
		schedule();
	}

	/** Stops the upkeep, because the tenure has ended. */
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

	/** Returns the timeout of the command that renews the lease, in nanoseconds. */
	long timeoutNanos() {
		return Commands.timeoutNanos(this.lease.time());
	}

	/** Returns the command that renews the lease for its full time. */
	LockBackend.Renew renewal() {
		return this.tenure.renewal(this.lease.time());
	}

	/**
	 * Schedules the renewal after a third of the lease, or slightly earlier so that it
	 * joins a batch.
	 */
	private void renewAfter(long nanos, long leaseNanos) {
		long at = nanos + leaseNanos / 3;
		long gridNanos = Math.max(1, Math.min(this.lease.time().toNanos() / 60, LONGEST_GRID_NANOS));
		this.renewAt = at - Math.floorMod(at, gridNanos);
	}

	/** Schedules the next inspection of the lease, or none if the tenure has ended. */
	private synchronized void schedule() {
		if (this.task != null) {
			this.task.cancel();
			this.task = null;
		}
		if (!hasEnded()) {
			this.task = this.context.timer().urgentlyAt(next(), this);
		}
	}

	/**
	 * Returns the time of the next renewal, or the end of the lease by the clock that is
	 * ahead.
	 */
	private long next() {
		Lease current = this.lease.current();
		if (mayRenew() && this.renewAt - current.deadlineNanos() < 0) {
			return this.renewAt;
		}
		return System.nanoTime() + current.remainingNanos(this.lock.now());
	}

	/**
	 * Renews the lease at once, because more of it has elapsed than the timer assumed.
	 */
	synchronized void renewNow() {
		this.renewAt = System.nanoTime();
		schedule();
	}

	private boolean mayRenew() {
		return this.lease.isRenewed() && this.lease.stopReason() == null && !this.renewing
				&& this.context.renewals().isRenewing();
	}

	/** Inspects the lease at the scheduled time. */
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
				this.context.renewals().due(this);
			}
			if (!this.renewing || isEndNear()) {
				schedule();
			}
		}
	}

	/** Returns whether the lease may expire before the reply to a renewal. */
	private boolean isEndNear() {
		return this.lease.current().remainingNanos(this.lock.now()) < 2 * timeoutNanos();
	}

	private synchronized boolean isDue() {
		return !hasEnded() && mayRenew() && this.renewAt - System.nanoTime() <= 0;
	}

	/**
	 * Ends the holds that must not outlast the current lease, because their owner has
	 * ended or they exceed the maximum hold time. If other holds remain, only those holds
	 * end. Otherwise the lease is no longer renewed.
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
		return hold.reasonToEnd(this.context.maxHoldTime());
	}

	/**
	 * Stops the renewal if no other hold has begun in the meantime. Afterwards the tenure
	 * cannot be handed over.
	 */
	private void stopUnlessOthersHold(LockLoss.Reason reason) {
		List<Hold> holds = this.tenure.holds().all();
		if (!holds.isEmpty() && holds.stream().allMatch((hold) -> reasonToEnd(hold) != null)) {
			this.lease.stopRenewing(reason);
		}
	}

	/**
	 * Handles the reply to a renewal.
	 * @param start the moment before the renewal was sent
	 * @param verdict the reply, or {@code null} if the renewal failed
	 */
	void replied(Moment start, @Nullable RenewalReply verdict, @Nullable Throwable failure) {
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
	 * Shortens a time at random, because an outage ends for all leases at once: without
	 * it, they would be renewed in bursts from then on.
	 * @return a time between half and all of the given time
	 */
	private static long spread(long nanos) {
		return nanos - ThreadLocalRandom.current().nextLong(nanos / 2 + 1);
	}

	private void failed(Throwable failure) {
		LockBackendException cause = this.context.commands().explain(this.tenure.name(), failure);
		this.lease.renewalFailed(cause.reason() + " (" + cause.detail() + ")");
		synchronized (this) {
			long pause = Math.min(this.lease.current().usableNanos() / 12, LONGEST_RETRY_NANOS);
			this.renewAt = System.nanoTime() + spread(pause);
			schedule();
		}
		notifyListeners((listener, handle) -> listener.renewalFailed(handle, cause));
	}

	private void notifyListeners(BiConsumer<LockListener, LockHandle> event) {
		Listeners listeners = this.context.listeners();
		if (!listeners.isEmpty()) {
			this.tenure.holds().all().forEach((hold) -> {
				LockHandle handle = this.context.handles().apply(hold);
				listeners.publishRenewal((listener) -> event.accept(listener, handle));
			});
		}
	}

	/**
	 * Requests a lease of another length for one hold.
	 * @return completes when the lease is confirmed, exceptionally if the hold has ended
	 */
	CompletableFuture<?> extend(Hold hold, Duration longer) {
		Moment start = hold.now();
		this.lease.extending(longer);
		return this.context.commands()
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
				// The reply must not keep the ended tenure alive, unless other holds use
				// it.
				this.context.commands().cancelUntilConfirmed(this.tenure.name(), this.tenure.id(), longer);
			}
			throw hold.gone();
		}
	}

	/** Schedules a write of the changed hold count. */
	void countChanged() {
		Objects.requireNonNull(counts(true)).countChanged();
	}

	/**
	 * Returns the writer of the hold count. Most holds are entered only once, so the
	 * writer is created when it is needed.
	 */
	private synchronized @Nullable HoldCountWriter counts(boolean needed) {
		if (this.counts == null && needed) {
			this.counts = new HoldCountWriter(this.tenure, this.context.commands(), this.context.timer(),
					() -> this.lock.lose(this.tenure, LockLoss.Reason.NOT_OWNED));
		}
		return this.counts;
	}

}
