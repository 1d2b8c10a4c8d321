package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

import io.lockstarter.core.LockLoss;
import io.lockstarter.core.backend.LockBackend;
import org.jspecify.annotations.Nullable;

/**
 * Renews leases in batches while their holders live, and declares the loss of those that
 * ran out. Works on the timer's thread and never waits for the backend.
 */
final class Watchdog {

	private static final long LONGEST_GRID_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final long LONGEST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final Engine engine;

	private final @Nullable Duration maxHoldTime;

	private final ConcurrentMap<Hold, Watch> watches = new ConcurrentHashMap<>();

	/** The renewals due in this round of the timer; touched by its thread only. */
	private final List<Watch> due = new ArrayList<>();

	private volatile boolean stopped;

	Watchdog(Engine engine, @Nullable Duration maxHoldTime) {
		this.engine = engine;
		this.maxHoldTime = maxHoldTime;
	}

	void watch(Hold hold) {
		Watch watch = new Watch(hold);
		this.watches.put(hold, watch);
		watch.schedule();
	}

	void unwatch(Hold hold) {
		Watch watch = this.watches.remove(hold);
		if (watch != null) {
			watch.end();
		}
	}

	/** The lease has moved by another hand. */
	void extended(Hold hold) {
		Watch watch = this.watches.get(hold);
		if (watch != null) {
			watch.schedule();
		}
	}

	int watched() {
		return this.watches.size();
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
		List<Watch> batch = this.due.stream().filter((watch) -> watch.hold.isHeld()).toList();
		this.due.clear();
		if (batch.isEmpty()) {
			return;
		}
		Moment start = Moment.now();
		List<CompletableFuture<Boolean>> verdicts = this.engine.renew(batch.stream().map(Watch::command).toList());
		for (int i = 0; i < batch.size(); i++) {
			Watch watch = batch.get(i);
			this.engine.await(verdicts.get(i), Engine.commandTimeoutNanos(watch.tenure().leaseTime()),
					(held, failure) -> watch.answered(start, held, failure));
		}
	}

	/**
	 * The watch over one hold.
	 */
	private final class Watch {

		private final Hold hold;

		private final long gridNanos;

		private long renewAt;

		private boolean renewing;

		private boolean ended;

		private Timer.@Nullable Task task;

		Watch(Hold hold) {
			this.hold = hold;
			this.gridNanos = Math.max(1, Math.min(tenure().leaseTime().toNanos() / 60, LONGEST_GRID_NANOS));
			renewAfter(tenure().lease().start().nanos());
		}

		Tenure tenure() {
			return this.hold.tenure();
		}

		LockBackend.Renew command() {
			return new LockBackend.Renew(this.hold.request().name(), tenure().id(), Math.max(1, this.hold.count()),
					tenure().leaseTime());
		}

		/** A third of the lease later, a little earlier where that joins a batch. */
		private void renewAfter(long nanos) {
			long at = nanos + tenure().leaseTime().toNanos() / 3;
			this.renewAt = at - Math.floorMod(at, this.gridNanos);
		}

		synchronized void schedule() {
			if (this.task != null) {
				this.task.cancel();
				this.task = null;
			}
			if (!this.ended) {
				long deadline = tenure().lease().deadlineNanos();
				boolean renewalFirst = mayRenew() && this.renewAt - deadline < 0;
				this.task = Watchdog.this.engine.timer().at(renewalFirst ? this.renewAt : deadline, this::tick);
			}
		}

		private boolean mayRenew() {
			return tenure().isRenewed() && tenure().stopReason() == null && !this.renewing && !Watchdog.this.stopped;
		}

		synchronized void end() {
			this.ended = true;
			schedule();
		}

		private void tick() {
			if (tenure().lease().remainingNanos() <= 0) {
				LockLoss.Reason stopped = tenure().stopReason();
				this.hold.lock().lose(this.hold, (stopped != null) ? stopped : LockLoss.Reason.LEASE_EXPIRED);
				return;
			}
			synchronized (this) {
				if (!this.ended && mayRenew() && this.renewAt - System.nanoTime() <= 0) {
					decide();
				}
				schedule();
			}
		}

		private void decide() {
			Duration longest = Watchdog.this.maxHoldTime;
			if (!this.hold.owner().isAlive()) {
				tenure().stopRenewing(LockLoss.Reason.OWNER_ENDED);
			}
			else if (longest != null && this.hold.heldFor().compareTo(longest) >= 0) {
				tenure().stopRenewing(LockLoss.Reason.MAX_HOLD_TIME);
			}
			else {
				this.renewing = true;
				Watchdog.this.due.add(this);
			}
		}

		void answered(Moment start, @Nullable Boolean held, @Nullable Throwable failure) {
			synchronized (this) {
				this.renewing = false;
				if (this.ended) {
					return;
				}
			}
			if (failure != null) {
				failed(failure);
			}
			else if (Boolean.TRUE.equals(held)) {
				renewed(start);
			}
			else {
				this.hold.lock().lose(this.hold, LockLoss.Reason.NOT_OWNED);
			}
		}

		private void renewed(Moment start) {
			tenure().confirm(Lease.of(start, tenure().leaseTime()));
			synchronized (this) {
				renewAfter(start.nanos());
				schedule();
			}
			Watchdog.this.engine.listeners().tell((listener) -> listener.renewed(new Handle(this.hold)));
		}

		private void failed(Throwable failure) {
			tenure().renewalFailed();
			synchronized (this) {
				this.renewAt = System.nanoTime() + Math.min(tenure().leaseTime().toNanos() / 12, LONGEST_RETRY_NANOS);
				schedule();
			}
			Watchdog.this.engine.listeners().tell((listener) -> listener.renewalFailed(new Handle(this.hold), failure));
		}

	}

}
