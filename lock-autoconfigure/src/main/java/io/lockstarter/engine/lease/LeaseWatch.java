package io.lockstarter.engine.lease;

import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockLoss;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.RenewalReply;
import io.lockstarter.engine.command.Commands;
import io.lockstarter.timer.Timer;
import org.jspecify.annotations.Nullable;

/**
 * The watch over the lease of one tenure, which begins with {@link #start()}: when it is
 * to be renewed, and when it ends. Thread-safe.
 */
public final class LeaseWatch implements Runnable {

	private static final long LONGEST_GRID_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final long LONGEST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final Renewable tenure;

	private final HeldLease lease;

	private final Renewals renewals;

	private long renewAt;

	private boolean renewing;

	private Timer.@Nullable Task task;

	/**
	 * Watch over a tenure.
	 * @param renewals sends renewals
	 */
	LeaseWatch(Renewable tenure, Renewals renewals) {
		this.tenure = tenure;
		this.lease = tenure.lease();
		this.renewals = renewals;
	}

	/** Begin to watch, unless the tenure has ended meanwhile. */
	public synchronized void start() {
		Lease first = this.lease.current();
		renewAfter(first.start().nanos(), first.usableNanos());
		schedule();
	}

	boolean hasEnded() {
		return this.lease.hasEnded();
	}

	/** How long the command that renews it may take. */
	long timeoutNanos() {
		return Commands.timeoutNanos(this.lease.time());
	}

	LockBackend.Renew command() {
		return this.tenure.renewal();
	}

	/** A third of the lease later, a little earlier where that joins a batch. */
	private void renewAfter(long nanos, long leaseNanos) {
		long at = nanos + leaseNanos / 3;
		long gridNanos = Math.max(1, Math.min(this.lease.time().toNanos() / 60, LONGEST_GRID_NANOS));
		this.renewAt = at - Math.floorMod(at, gridNanos);
	}

	/** Set the next time to look, or none if the tenure has ended. */
	public synchronized void schedule() {
		if (this.task != null) {
			this.task.cancel();
			this.task = null;
		}
		if (!hasEnded()) {
			this.task = this.renewals.timer().urgentlyAt(next(), this);
		}
	}

	/** When the lease is to be renewed, or ends by the clock that is ahead. */
	private long next() {
		Lease current = this.lease.current();
		if (mayRenew() && this.renewAt - current.deadlineNanos() < 0) {
			return this.renewAt;
		}
		return System.nanoTime() + current.remainingNanos(this.renewals.now());
	}

	/** Look at once, and renew at once: more of the lease is over than it seemed. */
	public synchronized void renewNow() {
		this.renewAt = System.nanoTime();
		schedule();
	}

	private boolean mayRenew() {
		return this.lease.isRenewed() && this.lease.stopReason() == null && !this.renewing && this.renewals.goOn();
	}

	/** It is time to look. */
	@Override
	public void run() {
		if (!this.lease.isValid(this.renewals.now())) {
			this.tenure.lost(this.lease.reasonOfExpiry());
			return;
		}
		if (isDue()) {
			this.tenure.reviewHolds();
		}
		synchronized (this) {
			if (isDue()) {
				this.renewing = true;
				this.renewals.due(this);
			}
			if (!this.renewing || isEndNear()) {
				schedule();
			}
		}
	}

	/** Whether the lease may run out before the answer to a renewal is there. */
	private boolean isEndNear() {
		return this.lease.current().remainingNanos(this.renewals.now()) < 2 * timeoutNanos();
	}

	private synchronized boolean isDue() {
		return !hasEnded() && mayRenew() && this.renewAt - System.nanoTime() <= 0;
	}

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
			this.tenure.lost(LockLoss.Reason.NOT_OWNED);
		}
	}

	private void renewed(Moment start) {
		boolean again = this.lease.isFailing();
		this.lease.confirm(Lease.of(start, this.lease.time()), this.renewals.now());
		long leaseNanos = this.lease.time().toNanos();
		synchronized (this) {
			renewAfter(start.nanos(), again ? spread(leaseNanos) : leaseNanos);
			schedule();
		}
		this.tenure.renewed();
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
		this.tenure.renewalFailed(failure);
	}

	/**
	 * The renewals of all leases.
	 */
	interface Renewals {

		/** What wakes a watch in time. */
		Timer timer();

		/** The present moment, by the clocks that leases go by. */
		Moment now();

		/** Whether leases are still renewed. */
		boolean goOn();

		/** A renewal is to be sent. Called on the timer's thread. */
		void due(LeaseWatch watch);

	}

}
