package io.lockstarter.verification.history.recording;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * Outermost hold as its owner saw it. Times are those of {@link System#nanoTime()}, which
 * all JVMs of a Linux host share. {@link #NEVER} stands for an event that did not happen.
 */
public final class Hold {

	/** Time of an event that did not happen. */
	public static final long NEVER = Long.MAX_VALUE;

	private final Grant grant;

	private long deadline;

	private long loss = NEVER;

	private String lossReason = "";

	private long releaseCall = NEVER;

	private long releaseReturn = NEVER;

	private Visit visit = Visit.NONE;

	private @Nullable ReleaseOutcome outcome;

	private long jvmEnd = NEVER;

	Hold(Grant grant) {
		this.grant = grant;
		this.deadline = grant.deadline();
	}

	/**
	 * Returns a hold that was not released, for histories written by hand.
	 * @param grant the grant
	 * @return the hold
	 */
	public static Hold of(Grant grant) {
		return new Hold(grant);
	}

	/**
	 * Returns a released hold, for histories written by hand.
	 * @param grant the grant
	 * @param releaseCall the time at which the release began
	 * @return the hold
	 */
	public static Hold of(Grant grant, long releaseCall) {
		Hold hold = of(grant);
		hold.leaving(releaseCall, Visit.NONE);
		hold.released(releaseCall, ReleaseOutcome.RELEASED);
		return hold;
	}

	/**
	 * Returns the grant with which the hold began.
	 * @return the grant
	 */
	public Grant grant() {
		return this.grant;
	}

	/**
	 * Returns the local deadline, which renewals move.
	 * @return the local deadline
	 */
	public long deadline() {
		return this.deadline;
	}

	/**
	 * Returns the time at which the listener was notified of the loss.
	 * @return the time
	 */
	public long loss() {
		return this.loss;
	}

	/**
	 * Returns the reason for the loss.
	 * @return the name of the reason, empty without a loss
	 */
	public String lossReason() {
		return this.lossReason;
	}

	/**
	 * Returns the time at which the release began.
	 * @return the time
	 */
	public long releaseCall() {
		return this.releaseCall;
	}

	/**
	 * Returns the time at which the release returned.
	 * @return the time
	 */
	public long releaseReturn() {
		return this.releaseReturn;
	}

	/**
	 * Returns the owner's access to the guarded data.
	 * @return the visit
	 */
	public Visit visit() {
		return this.visit;
	}

	/**
	 * Returns the outcome of the release.
	 * @return the outcome, or {@code null} if the release did not return
	 */
	public @Nullable ReleaseOutcome outcome() {
		return this.outcome;
	}

	/**
	 * Returns the time at which the JVM was killed.
	 * @return the time
	 */
	public long jvmEnd() {
		return this.jvmEnd;
	}

	/**
	 * Returns the end of the time for which the owner relied on the lock.
	 * @return the end of the interval, which may be before its beginning
	 */
	public long believedEnd() {
		return Math.min(Math.min(this.releaseCall, this.loss), Math.min(this.deadline, this.jvmEnd));
	}

	/**
	 * Returns whether the owner relied on the hold at any time.
	 * @return {@code false} for a grant that arrived after the end of its lease
	 */
	public boolean isBelieved() {
		return believedEnd() > this.grant.granted();
	}

	/**
	 * Returns whether both holds belong to one tenure of one owner, such as those of a
	 * writer that also reads.
	 * @param other another hold of the same lock
	 * @return {@code true} if they belong together
	 */
	public boolean isOneWith(Hold other) {
		return this.grant.token() == other.grant.token() && this.grant.jvm() == other.grant.jvm()
				&& this.grant.thread().equals(other.grant.thread());
	}

	/**
	 * Records a later deadline.
	 * @param deadline the deadline
	 */
	public void extended(long deadline) {
		this.deadline = Math.max(this.deadline, deadline);
	}

	/**
	 * Records the loss.
	 * @param at the time at which the listener was notified
	 * @param reason the reason
	 */
	public void lost(long at, String reason) {
		this.loss = at;
		this.lossReason = reason;
	}

	/**
	 * Records the beginning of the release.
	 * @param at the time
	 * @param visit the access to the guarded data before
	 */
	public void leaving(long at, Visit visit) {
		this.releaseCall = at;
		this.visit = visit;
	}

	/**
	 * Records the end of the release.
	 * @param at the time
	 * @param outcome the outcome
	 */
	public void released(long at, ReleaseOutcome outcome) {
		this.releaseReturn = at;
		this.outcome = outcome;
	}

	/**
	 * Records that the JVM was killed.
	 * @param at the time
	 */
	public void killed(long at) {
		this.jvmEnd = at;
	}

	@Override
	public String toString() {
		return String.format(Locale.ROOT, "%s %s token %d by JVM %d %s", this.grant.key(), this.grant.type(),
				this.grant.token(), this.grant.jvm(), this.grant.thread());
	}

}
