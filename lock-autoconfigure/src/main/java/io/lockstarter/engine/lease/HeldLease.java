package io.lockstarter.engine.lease;

import java.time.Duration;
import java.util.Objects;

import io.lockstarter.core.LockLoss;
import io.lockstarter.engine.command.Commands;
import org.jspecify.annotations.Nullable;

/**
 * Lease of one tenure, with the state of its renewal. Thread-safe.
 */
public final class HeldLease {

	private final Duration time;

	private final boolean renewed;

	private volatile Lease lease;

	/**
	 * Upper bound for the end of extended leases in the backend, by the monotonic clock
	 * in nanoseconds.
	 */
	private volatile long extendedUntil;

	private volatile @Nullable String failedRenewal;

	private volatile boolean extended;

	private volatile LockLoss.@Nullable Reason stopReason;

	private volatile boolean forceReleaseReported;

	private volatile boolean ended;

	/**
	 * Creates the lease that was granted.
	 * @param time the duration for which the lease is granted and renewed
	 * @param renewed whether the watchdog renews it
	 */
	public HeldLease(Duration time, boolean renewed, Lease first) {
		this.time = time;
		this.renewed = renewed;
		this.lease = first;
		this.extendedUntil = first.start().nanos();
	}

	/** Returns the duration for which the lease is granted and renewed. */
	public Duration time() {
		return this.time;
	}

	public boolean isRenewed() {
		return this.renewed;
	}

	/** Returns the lease that the backend confirmed last. */
	public Lease current() {
		return this.lease;
	}

	public boolean isValid(Moment now) {
		return this.lease.remainingNanos(now) > 0;
	}

	/** Returns whether more than half of the lease remains. */
	public boolean isFresh(Moment now) {
		Lease current = this.lease;
		return current.remainingNanos(now) > current.usableNanos() / 2;
	}

	/**
	 * Returns whether another hold may rely on the lease without a request to the
	 * backend.
	 */
	public boolean isForOthers(Moment now) {
		return this.renewed && !this.extended && this.stopReason == null && isFresh(now);
	}

	/**
	 * Returns whether the backend has recently confirmed that the tenure holds the lock.
	 * @param age the maximum age of the confirmation, counted from before the confirmed
	 * request was sent
	 */
	public boolean isConfirmedWithin(Duration age, Moment now) {
		return this.lease.start().elapsedNanos(now) < age.toNanos();
	}

	/** Records a lease that the backend has confirmed. Never moves the deadline back. */
	public synchronized void confirm(Lease confirmed, Moment now) {
		this.failedRenewal = null;
		if (confirmed.remainingNanos(now) > this.lease.remainingNanos(now)) {
			this.lease = confirmed;
		}
	}

	/**
	 * Records that a holder requests a lease of another duration, whatever the reply will
	 * be.
	 */
	public synchronized void extending(Duration lease) {
		long until = System.nanoTime() + Commands.LONGEST_NANOS + lease.toNanos();
		if (until - this.extendedUntil > 0) {
			this.extendedUntil = until;
		}
	}

	/** Records that the backend has confirmed a lease of another duration. */
	public void extend(Lease confirmed, Moment now) {
		this.extended = true;
		confirm(confirmed, now);
	}

	/**
	 * Returns how long the backend may keep the tenure if it does not learn of its end.
	 */
	public Duration longestRest(Moment now) {
		Duration extended = Duration.ofNanos(this.extendedUntil - now.nanos());
		return (extended.compareTo(this.time) > 0) ? extended : this.time;
	}

	/** Returns whether the last renewal has failed. */
	public boolean isFailing() {
		return this.failedRenewal != null;
	}

	/** Returns why the last renewal failed, or {@code null} if it did not fail. */
	public @Nullable String failedRenewal() {
		return this.failedRenewal;
	}

	/**
	 * Records that a renewal has failed. The renewal is retried soon.
	 * @param reason a readable reason
	 */
	public void renewalFailed(String reason) {
		this.failedRenewal = reason;
	}

	/**
	 * Returns why the watchdog no longer renews the lease, or {@code null} if it does.
	 */
	public LockLoss.@Nullable Reason stopReason() {
		return this.stopReason;
	}

	public void stopRenewing(LockLoss.Reason reason) {
		this.stopReason = reason;
	}

	public LockLoss.Reason reasonOfExpiry() {
		return Objects.requireNonNullElse(this.stopReason, LockLoss.Reason.LEASE_EXPIRED);
	}

	/** Records whether an unverified message reports a forced release of the lock. */
	public void forceReleaseReported(boolean reported) {
		this.forceReleaseReported = reported;
	}

	/** Returns the reason of a loss that the backend has reported. */
	public LockLoss.Reason reasonOfDenial() {
		return this.forceReleaseReported ? LockLoss.Reason.FORCE_RELEASED : LockLoss.Reason.NOT_OWNED;
	}

	/**
	 * Records that the tenure was released or lost, so that nothing is renewed any
	 * longer.
	 */
	public void end() {
		this.ended = true;
	}

	public boolean hasEnded() {
		return this.ended;
	}

}
