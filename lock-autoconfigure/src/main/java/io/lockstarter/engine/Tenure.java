package io.lockstarter.engine;

import java.time.Duration;

import io.lockstarter.core.LockLoss;
import io.lockstarter.core.backend.TenureId;
import org.jspecify.annotations.Nullable;

/**
 * The span in which this JVM holds a lock in the backend.
 */
final class Tenure {

	private static final int TOKENS = 1024;

	private final TenureId id;

	private final long base;

	private final Duration leaseTime;

	private final boolean renewed;

	private volatile Lease lease;

	private volatile boolean failing;

	private volatile LockLoss.@Nullable Reason stopReason;

	Tenure(TenureId id, long base, Duration leaseTime, boolean renewed, Lease lease) {
		this.id = id;
		this.base = base;
		this.leaseTime = leaseTime;
		this.renewed = renewed;
		this.lease = lease;
	}

	TenureId id() {
		return this.id;
	}

	/** The token of the first hold; later holds of the tenure count up from it. */
	long firstToken() {
		return this.base * TOKENS;
	}

	Duration leaseTime() {
		return this.leaseTime;
	}

	boolean isRenewed() {
		return this.renewed;
	}

	Lease lease() {
		return this.lease;
	}

	/** The backend has confirmed a lease; it never moves the deadline back. */
	synchronized void confirm(Lease confirmed) {
		this.failing = false;
		if (confirmed.deadlineNanos() - this.lease.deadlineNanos() > 0) {
			this.lease = confirmed;
		}
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

}
