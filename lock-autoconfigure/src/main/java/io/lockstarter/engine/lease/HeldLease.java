package io.lockstarter.engine.lease;

import java.time.Duration;
import java.util.Objects;

import io.lockstarter.core.LockLoss;
import io.lockstarter.engine.command.Commands;
import org.jspecify.annotations.Nullable;

/**
 * The lease of one tenure: how long it may be relied on, and whether it is still renewed.
 * Thread-safe.
 */
public final class HeldLease {

	private final Duration time;

	private final boolean renewed;

	private volatile Lease lease;

	/** Until when the backend may keep it by extensions, by the monotonic clock. */
	private volatile long extendedUntil;

	private volatile boolean failing;

	private volatile boolean extended;

	private volatile LockLoss.@Nullable Reason stopReason;

	private volatile boolean takenAway;

	private volatile boolean ended;

	/**
	 * Begin with the lease that was granted.
	 * @param time for how long the lease is granted and renewed
	 * @param renewed whether the watchdog renews it
	 */
	public HeldLease(Duration time, boolean renewed, Lease first) {
		this.time = time;
		this.renewed = renewed;
		this.lease = first;
		this.extendedUntil = first.start().nanos();
	}

	/** For how long it is granted and renewed. */
	public Duration time() {
		return this.time;
	}

	public boolean isRenewed() {
		return this.renewed;
	}

	/** What the backend has confirmed last. */
	public Lease current() {
		return this.lease;
	}

	public boolean isValid(Moment now) {
		return this.lease.remainingNanos(now) > 0;
	}

	/** Whether the next hold would have most of the lease before it. */
	public boolean isFresh(Moment now) {
		Lease current = this.lease;
		return current.remainingNanos(now) > current.usableNanos() / 2;
	}

	/** Whether another hold may rely on it without asking the backend. */
	public boolean isForOthers(Moment now) {
		return this.renewed && !this.extended && this.stopReason == null && isFresh(now);
	}

	/**
	 * Returns whether the backend has lately confirmed that the tenure has the lock.
	 * @param age how long ago, counted from before the confirmed request was sent
	 */
	public boolean isConfirmedWithin(Duration age, Moment now) {
		return this.lease.start().elapsedNanos(now) < age.toNanos();
	}

	/** The backend has confirmed a lease; it never moves the deadline back. */
	public synchronized void confirm(Lease confirmed, Moment now) {
		this.failing = false;
		if (confirmed.remainingNanos(now) > this.lease.remainingNanos(now)) {
			this.lease = confirmed;
		}
	}

	/** A holder asks for a lease of its own measure, whatever the answer will be. */
	public synchronized void extending(Duration lease) {
		long until = System.nanoTime() + Commands.LONGEST_NANOS + lease.toNanos();
		if (until - this.extendedUntil > 0) {
			this.extendedUntil = until;
		}
	}

	/** A holder has been given a lease of its own measure. */
	public void extend(Lease confirmed, Moment now) {
		this.extended = true;
		confirm(confirmed, now);
	}

	/**
	 * For how long the backend may keep it yet if it does not learn that it has ended.
	 */
	public Duration longestRest(Moment now) {
		Duration extended = Duration.ofNanos(this.extendedUntil - now.nanos());
		return (extended.compareTo(this.time) > 0) ? extended : this.time;
	}

	/** Whether the last renewal has failed. */
	public boolean isFailing() {
		return this.failing;
	}

	/** A renewal has failed, and is tried again soon. */
	public void renewalFailed() {
		this.failing = true;
	}

	/** Why the watchdog no longer renews the lease, or {@code null}. */
	public LockLoss.@Nullable Reason stopReason() {
		return this.stopReason;
	}

	public void stopRenewing(LockLoss.Reason reason) {
		this.stopReason = reason;
	}

	public LockLoss.Reason reasonOfExpiry() {
		return Objects.requireNonNullElse(this.stopReason, LockLoss.Reason.LEASE_EXPIRED);
	}

	/** Somebody says that the lock was taken away, which is not known to be true yet. */
	public void saidToBeTakenAway(boolean said) {
		this.takenAway = said;
	}

	/** Why the backend does not know the tenure, if it does not. */
	public LockLoss.Reason reasonOfDenial() {
		return this.takenAway ? LockLoss.Reason.FORCE_RELEASED : LockLoss.Reason.NOT_OWNED;
	}

	/** The tenure was given up, or lost: nothing is renewed any more. */
	public void end() {
		this.ended = true;
	}

	public boolean hasEnded() {
		return this.ended;
	}

}
