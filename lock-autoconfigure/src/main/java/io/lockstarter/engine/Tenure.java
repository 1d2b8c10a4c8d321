package io.lockstarter.engine;

import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;

import io.lockstarter.core.LockLoss;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.TenureId;
import org.jspecify.annotations.Nullable;

/**
 * The span in which this JVM holds a lock in the backend. Several holds may follow one
 * another in it.
 */
final class Tenure {

	private final LocalLock lock;

	private final TenureId id;

	private final Duration leaseTime;

	private final boolean renewed;

	private final Tokens tokens;

	private final Demand demand;

	private final CountWriter countWriter;

	private final Watchdog.Watch watch;

	private volatile Lease lease;

	private volatile boolean failing;

	private volatile boolean extended;

	private volatile LockLoss.@Nullable Reason stopReason;

	private volatile @Nullable Hold hold;

	Tenure(LocalLock lock, LockBackend.Acquire command, long base, boolean renewed, Lease lease, Demand demand,
			Watchdog watchdog) {
		this.lock = lock;
		this.id = command.tenure();
		this.leaseTime = command.lease();
		this.renewed = renewed;
		this.tokens = new Tokens(base);
		this.lease = lease;
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

	/** The hold of the moment, or {@code null} while the tenure is handed on. */
	@Nullable Hold hold() {
		return this.hold;
	}

	Hold begin(Waiter waiter) {
		Hold begun = new Hold(this, waiter.request(), waiter.owner(), this.tokens.take());
		this.hold = begun;
		return begun;
	}

	void endHold() {
		this.hold = null;
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
		return this.lease.remainingNanos() > 0;
	}

	/** Whether the next hold would have most of the lease before it. */
	boolean isFresh() {
		Lease current = this.lease;
		return current.remainingNanos() > current.usableNanos() / 2;
	}

	/** The backend has confirmed a lease; it never moves the deadline back. */
	synchronized void confirm(Lease confirmed) {
		this.failing = false;
		if (confirmed.deadlineNanos() - this.lease.deadlineNanos() > 0) {
			this.lease = confirmed;
		}
	}

	/** A holder has asked for a lease of its own measure. */
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

	/** Whether the hold of a request may follow without asking the backend. */
	boolean canGoTo(Waiter waiter) {
		return this.renewed && !this.extended && this.stopReason == null && !this.tokens.isEmpty()
				&& waiter.canUse(this.leaseTime, this.renewed) && !isUrgentElsewhere() && isFresh();
	}

	private boolean isUrgentElsewhere() {
		if (!this.demand.isRemote() && !this.lock.engine().commands().isListening()) {
			// Others may wait without being heard.
			this.demand.wanted();
		}
		return this.demand.isUrgent();
	}

	/** Keeps the lease alive. */
	Watchdog.Watch watch() {
		return this.watch;
	}

	/** Neither renew the lease nor write the count any more. */
	void end() {
		this.watch.end();
		this.countWriter.end();
	}

	/** Tells the backend the hold count. */
	CountWriter countWriter() {
		return this.countWriter;
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
