package io.lockstarter.engine;

import java.time.Duration;
import java.time.Instant;

import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * One outermost acquisition by one owner with its hold count. Changes only under the
 * monitor of its {@link LocalLock}.
 */
final class Hold {

	private final LocalLock lock;

	private final Tenure tenure;

	private final LockRequest request;

	private final LockOwner owner;

	private final long token;

	private final Moment since = Moment.now();

	private final Instant sinceInstant = Instant.ofEpochMilli(this.since.millis());

	private volatile int count = 1;

	private volatile State state = State.HELD;

	private volatile @Nullable LockLoss loss;

	private int writtenCount = 1;

	private boolean writing;

	Hold(LocalLock lock, Tenure tenure, LockRequest request, LockOwner owner) {
		this.lock = lock;
		this.tenure = tenure;
		this.request = request;
		this.owner = owner;
		this.token = tenure.firstToken();
	}

	LocalLock lock() {
		return this.lock;
	}

	Tenure tenure() {
		return this.tenure;
	}

	LockRequest request() {
		return this.request;
	}

	LockOwner owner() {
		return this.owner;
	}

	long token() {
		return this.token;
	}

	int count() {
		return this.count;
	}

	Duration heldFor() {
		return Duration.ofNanos(this.since.elapsedNanos());
	}

	boolean isHeld() {
		return this.state == State.HELD;
	}

	boolean isLost() {
		return this.state == State.LOST;
	}

	/** Held, and the lease has not run out on the local clock. */
	boolean isValid() {
		return isHeld() && this.tenure.lease().remainingNanos() > 0;
	}

	Duration remainingLease() {
		return isHeld() ? Duration.ofNanos(Math.max(0, this.tenure.lease().remainingNanos())) : Duration.ZERO;
	}

	@Nullable LockLoss loss() {
		return this.loss;
	}

	void reenter() {
		if (this.count == Integer.MAX_VALUE) {
			throw new Error("Lock '%s' has been re-entered %d times".formatted(this.request.name(), this.count));
		}
		count(this.count + 1);
	}

	/** Undo one entry; {@code true} if it was the outermost. */
	boolean leave() {
		if (this.count == 0) {
			throw new LockNotHeldException(this.request.name(), this.owner);
		}
		count(this.count - 1);
		return this.count == 0;
	}

	/** Written under the monitor only; volatile for those who just look. */
	private void count(int count) {
		this.count = count;
	}

	void released() {
		this.state = State.RELEASED;
	}

	/** The hold ends here by a loss. */
	LockLoss lose(LockLoss.Reason reason) {
		this.state = State.LOST;
		Instant now = Instant.now();
		long late = Math.max(0, -this.tenure.lease().remainingNanos());
		Instant lostAt = (reason == LockLoss.Reason.NOT_OWNED) ? now : now.minusNanos(late);
		LockLoss lost = new LockLoss(this.request.name(), this.request.group(), this.request.type(), this.owner,
				this.token, reason, lostAt, heldFor());
		this.loss = lost;
		return lost;
	}

	/** Whether the backend is to be told of a new count, which one caller then does. */
	boolean beginWriting() {
		if (this.writing || this.writtenCount == this.count || this.state != State.HELD || this.count == 0) {
			return false;
		}
		this.writing = true;
		this.writtenCount = this.count;
		return true;
	}

	void endWriting() {
		this.writing = false;
	}

	LockMonitor.Held snapshot() {
		return new LockMonitor.Held(this.request.name(), this.request.group(), this.request.type(),
				this.owner.toString(), this.count, this.sinceInstant, this.token, remainingLease(), watchdog());
	}

	private LockMonitor.Watchdog watchdog() {
		if (!this.tenure.isRenewed()) {
			return LockMonitor.Watchdog.FIXED_LEASE;
		}
		if (this.tenure.stopReason() != null) {
			return LockMonitor.Watchdog.STOPPED;
		}
		return this.tenure.isFailing() ? LockMonitor.Watchdog.FAILING : LockMonitor.Watchdog.RENEWING;
	}

	private enum State {

		HELD, RELEASED, LOST

	}

}
