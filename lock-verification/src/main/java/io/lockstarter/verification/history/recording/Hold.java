package io.lockstarter.verification.history.recording;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * One outermost hold as its owner knew it. Times are those of {@link System#nanoTime()},
 * which all JVMs of a Linux host share; {@link #NEVER} stands for what did not happen.
 */
public final class Hold {

	/** The time of what did not happen. */
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
	 * Returns a hold that goes on, for histories written by hand.
	 * @param grant how it began
	 * @return the hold
	 */
	public static Hold of(Grant grant) {
		return new Hold(grant);
	}

	/**
	 * Returns a hold that is over, for histories written by hand.
	 * @param grant how it began
	 * @param releaseCall when its owner began to release it
	 * @return the hold
	 */
	public static Hold of(Grant grant, long releaseCall) {
		Hold hold = of(grant);
		hold.leaving(releaseCall, Visit.NONE);
		hold.released(releaseCall, ReleaseOutcome.RELEASED);
		return hold;
	}

	/**
	 * Returns how the hold began.
	 * @return the grant
	 */
	public Grant grant() {
		return this.grant;
	}

	/**
	 * Returns until when the owner may rely on the hold, as far as renewed.
	 * @return the local deadline
	 */
	public long deadline() {
		return this.deadline;
	}

	/**
	 * Returns when the owner's listener was told of the loss.
	 * @return the time
	 */
	public long loss() {
		return this.loss;
	}

	/**
	 * Returns why the hold was lost.
	 * @return the reason's name, empty without a loss
	 */
	public String lossReason() {
		return this.lossReason;
	}

	/**
	 * Returns when the owner began to release the hold.
	 * @return the time
	 */
	public long releaseCall() {
		return this.releaseCall;
	}

	/**
	 * Returns when the release had returned.
	 * @return the time
	 */
	public long releaseReturn() {
		return this.releaseReturn;
	}

	/**
	 * Returns what the owner did with what the lock guards.
	 * @return the visit
	 */
	public Visit visit() {
		return this.visit;
	}

	/**
	 * Returns how the release ended.
	 * @return the outcome, or {@code null} if the JVM did not get that far
	 */
	public @Nullable ReleaseOutcome outcome() {
		return this.outcome;
	}

	/**
	 * Returns when the owner's JVM was killed.
	 * @return the time
	 */
	public long jvmEnd() {
		return this.jvmEnd;
	}

	/**
	 * Returns until when the owner believed to have the lock.
	 * @return the end of the believed interval, which may be before its beginning
	 */
	public long believedEnd() {
		return Math.min(Math.min(this.releaseCall, this.loss), Math.min(this.deadline, this.jvmEnd));
	}

	/**
	 * Returns whether the owner believed in the hold at any time.
	 * @return {@code false} for a grant that came when its lease was over
	 */
	public boolean isBelieved() {
		return believedEnd() > this.grant.granted();
	}

	/**
	 * Returns whether both are entries of one owner into one hold, as those of a writer
	 * who reads.
	 * @param other another hold of the same lock
	 * @return whether they are one
	 */
	public boolean isOneWith(Hold other) {
		return this.grant.token() == other.grant.token() && this.grant.jvm() == other.grant.jvm()
				&& this.grant.thread().equals(other.grant.thread());
	}

	/**
	 * Tells of a later deadline.
	 * @param deadline the deadline
	 */
	public void extended(long deadline) {
		this.deadline = Math.max(this.deadline, deadline);
	}

	/**
	 * Tells of the loss.
	 * @param at when the listener heard of it
	 * @param reason why
	 */
	public void lost(long at, String reason) {
		this.loss = at;
		this.lossReason = reason;
	}

	/**
	 * Tells of the beginning of the release.
	 * @param at when
	 * @param visit what was done before
	 */
	public void leaving(long at, Visit visit) {
		this.releaseCall = at;
		this.visit = visit;
	}

	/**
	 * Tells of the end of the release.
	 * @param at when
	 * @param outcome how
	 */
	public void released(long at, ReleaseOutcome outcome) {
		this.releaseReturn = at;
		this.outcome = outcome;
	}

	/**
	 * Tells that the JVM was killed.
	 * @param at when
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
