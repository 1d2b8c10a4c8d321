package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * Renews leases in batches while their holders live, and declares the loss of those that
 * ran out. Works on the timer's thread and never waits for the backend.
 */
final class Watchdog {

	private static final long LONGEST_GRID_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final long LONGEST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

	/**
	 * How soon a lease that began much shorter than it is to be gets its full length. Not
	 * at once, which would be in vain for the many that are over by then.
	 */
	private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

	private final Commands commands;

	private final Timer timer;

	private final Listeners listeners;

	private final @Nullable Duration maxHoldTime;

	/** The renewals due in this round of the timer; touched by its thread only. */
	private final List<Watch> due = new ArrayList<>();

	private volatile boolean stopped;

	Watchdog(Commands commands, Timer timer, Listeners listeners, @Nullable Duration maxHoldTime) {
		this.commands = commands;
		this.timer = timer;
		this.listeners = listeners;
		this.maxHoldTime = maxHoldTime;
	}

	/** Renew nothing any more; losses are still declared. */
	void stop() {
		this.stopped = true;
	}

	/** Send what has become due, in one batch. */
	void renewDue() {
		if (this.due.isEmpty()) {
			return;
		}
		List<Watch> batch = this.due.stream().filter((watch) -> !watch.tenure.hasEnded()).toList();
		this.due.clear();
		if (batch.isEmpty()) {
			return;
		}
		Moment start = Moment.now();
		long timeoutNanos = Long.MAX_VALUE;
		for (Watch watch : batch) {
			timeoutNanos = Math.min(timeoutNanos, Commands.timeoutNanos(watch.tenure.leaseTime()));
		}
		List<CompletableFuture<Verdict>> verdicts = this.commands.renew(batch.stream().map(Watch::command).toList(),
				timeoutNanos);
		for (int i = 0; i < batch.size(); i++) {
			Watch watch = batch.get(i);
			Commands.answer(verdicts.get(i), (verdict, failure) -> watch.answered(start, verdict, failure));
		}
	}

	/**
	 * The watch over one tenure, which begins with {@link #start()}.
	 */
	static final class Watch {

		private final Tenure tenure;

		private final long gridNanos;

		private long renewAt;

		private boolean renewing;

		private Timer.@Nullable Task task;

		Watch(Tenure tenure) {
			this.tenure = tenure;
			this.gridNanos = Math.max(1, Math.min(tenure.leaseTime().toNanos() / 60, LONGEST_GRID_NANOS));
		}

		/** Begin to watch, unless the tenure has ended meanwhile. */
		synchronized void start() {
			Lease first = this.tenure.lease();
			renewAfter(first.start().nanos(), first.usableNanos());
			long soon = System.nanoTime() + SOON_NANOS;
			if (first.usableNanos() < this.tenure.leaseTime().toNanos() / 2 && this.renewAt - soon > 0) {
				this.renewAt = soon;
			}
			schedule();
		}

		private Watchdog watchdog() {
			return this.tenure.lock().engine().watchdog();
		}

		LockBackend.Renew command() {
			return this.tenure.renewal(this.tenure.leaseTime());
		}

		/** A third of the lease later, a little earlier where that joins a batch. */
		private void renewAfter(long nanos, long leaseNanos) {
			long at = nanos + leaseNanos / 3;
			this.renewAt = at - Math.floorMod(at, this.gridNanos);
		}

		/** Set the next time to look, or none if the tenure has ended. */
		synchronized void schedule() {
			if (this.task != null) {
				this.task.cancel();
				this.task = null;
			}
			if (!this.tenure.hasEnded()) {
				this.task = watchdog().timer.urgentlyAt(next(), this::tick);
			}
		}

		/** When the lease is to be renewed, or ends by the clock that is ahead. */
		private long next() {
			Lease lease = this.tenure.lease();
			if (mayRenew() && this.renewAt - lease.deadlineNanos() < 0) {
				return this.renewAt;
			}
			return System.nanoTime() + lease.remainingNanos();
		}

		/** Look at once, and renew at once: more of the lease is over than it seemed. */
		synchronized void hurry() {
			this.renewAt = System.nanoTime();
			schedule();
		}

		private boolean mayRenew() {
			return this.tenure.isRenewed() && this.tenure.stopReason() == null && !this.renewing && !watchdog().stopped;
		}

		private void tick() {
			if (!this.tenure.isValid()) {
				this.tenure.lock().lose(this.tenure, this.tenure.reasonOfExpiry());
				return;
			}
			LockLoss.Reason reason = isDue() ? review() : null;
			if (reason != null) {
				stopUnlessOthersHold(reason);
			}
			synchronized (this) {
				if (isDue()) {
					this.renewing = true;
					watchdog().due.add(this);
				}
				if (!this.renewing || isEndNear()) {
					schedule();
				}
			}
		}

		/** Whether the lease may run out before the answer to a renewal is there. */
		private boolean isEndNear() {
			return this.tenure.lease().remainingNanos() < 2 * Commands.timeoutNanos(this.tenure.leaseTime());
		}

		private synchronized boolean isDue() {
			return !this.tenure.hasEnded() && mayRenew() && this.renewAt - System.nanoTime() <= 0;
		}

		/**
		 * Why no hold is to go on, or {@code null} if one is, or the next is about to
		 * begin. Where some are to go on, the others end alone.
		 */
		private LockLoss.@Nullable Reason review() {
			List<Hold> holds = this.tenure.holds().all();
			Map<Hold, LockLoss.Reason> over = new LinkedHashMap<>();
			for (Hold hold : holds) {
				LockLoss.Reason reason = hold.reasonToEnd(watchdog().maxHoldTime);
				if (reason != null) {
					over.put(hold, reason);
				}
			}
			if (over.isEmpty()) {
				return null;
			}
			if (over.size() == holds.size()) {
				return over.values().iterator().next();
			}
			over.forEach(this.tenure.lock()::lose);
			return null;
		}

		/** The tenure may have been handed on meanwhile, and cannot be afterwards. */
		private void stopUnlessOthersHold(LockLoss.Reason reason) {
			synchronized (this.tenure.lock()) {
				List<Hold> holds = this.tenure.holds().all();
				if (!holds.isEmpty()
						&& holds.stream().allMatch((hold) -> hold.reasonToEnd(watchdog().maxHoldTime) != null)) {
					this.tenure.stopRenewing(reason);
				}
			}
		}

		void answered(Moment start, @Nullable Verdict verdict, @Nullable Throwable failure) {
			synchronized (this) {
				this.renewing = false;
				if (this.tenure.hasEnded()) {
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
				this.tenure.lock().lose(this.tenure, LockLoss.Reason.NOT_OWNED);
			}
		}

		private void renewed(Moment start) {
			this.tenure.confirm(Lease.of(start, this.tenure.leaseTime()), Moment.now());
			synchronized (this) {
				renewAfter(start.nanos(), this.tenure.leaseTime().toNanos());
				schedule();
			}
			tell((listener, hold) -> listener.renewed(hold));
		}

		private void failed(Throwable failure) {
			this.tenure.renewalFailed();
			synchronized (this) {
				this.renewAt = System.nanoTime()
						+ Math.min(this.tenure.lease().usableNanos() / 12, LONGEST_RETRY_NANOS);
				schedule();
			}
			tell((listener, hold) -> listener.renewalFailed(hold, failure));
		}

		private void tell(BiConsumer<LockListener, LockHandle> event) {
			if (!watchdog().listeners.isEmpty()) {
				this.tenure.holds()
					.all()
					.forEach((hold) -> watchdog().listeners
						.tellOfRenewal((listener) -> event.accept(listener, new Handle(hold))));
			}
		}

	}

}
