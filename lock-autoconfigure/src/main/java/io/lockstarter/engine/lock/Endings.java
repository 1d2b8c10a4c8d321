package io.lockstarter.engine.lock;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.engine.lease.Moment;
import org.jspecify.annotations.Nullable;

/**
 * How the tenures of one name end, and their holds with them: released, given back
 * unused, or lost. Used under the monitor of the {@link LocalLock}.
 */
final class Endings {

	private final LocalShares shares;

	private final Conversation conversation;

	private final LocalGrants grants;

	private final Refusals refusals;

	private final Effects effects;

	Endings(LocalShares shares, Conversation conversation, LocalGrants grants, Refusals refusals, Effects effects) {
		this.shares = shares;
		this.conversation = conversation;
		this.grants = grants;
		this.refusals = refusals;
		this.effects = effects;
	}

	/**
	 * One entry of a hold is released.
	 * @param outlived what the entry was told if it outlives its thread
	 * @throws io.lockstarter.core.LockNotHeldException if the hold was released before
	 */
	Unlocked unlock(Hold hold, @Nullable BooleanSupplier outlived, Moment now) {
		Tenure tenure = this.grants.tenureOf(hold);
		if (tenure != null && hold.isHeld() && !hold.isValid(now)) {
			loseByExpiry(tenure, now);
		}
		boolean outermost = hold.leave(outlived);
		if (hold.isLost()) {
			if (outermost) {
				forgetLost(hold, now);
			}
			return Unlocked.LOST;
		}
		Tenure current = Objects.requireNonNull(tenure);
		if (outermost) {
			return end(current, hold, now);
		}
		this.effects.add(new Effect.WriteCount(current));
		return Unlocked.STILL_HELD;
	}

	private Unlocked end(Tenure tenure, Hold hold, Moment now) {
		hold.released();
		tenure.holds().remove(hold);
		if (!tenure.isUnheld()) {
			if (tenure.mode() == HoldMode.ALONE && tenure.holds().exclusive() == null
					&& !this.conversation.isDowngrading()) {
				this.conversation.downgrade(tenure, now);
			}
			return Unlocked.RELEASED;
		}
		boolean staysHere = switch (tenure.mode()) {
			// Then it is on offer.
			case ALONE -> this.grants.mayHandOverToHead(now);
			case PERMIT -> this.grants.handOverPermit(tenure, now);
			case READER -> false;
		};
		if (staysHere) {
			return Unlocked.RELEASED;
		}
		giveBack(tenure, hold, now);
		return Unlocked.RELEASING;
	}

	/** The owner of a lost hold is told of the loss. */
	private void forgetLost(Hold lost, Moment now) {
		if (lost.lease().hasEnded()) {
			// Perhaps the lease was renewed after it had been given up here.
			this.effects.add(new Effect.EndForSure(lost.tenure(), lost.lease().longestRest(now)));
		}
		this.effects.add(new Effect.ForgetLoss(lost));
	}

	/** A single hold ends, while its tenure may go on for others. */
	void end(Hold hold, LockLoss.Reason reason, Moment now) {
		Tenure tenure = this.grants.tenureOf(hold);
		if (tenure == null || !hold.isHeld()) {
			return;
		}
		tenure.holds().remove(hold);
		lose(hold, reason, now);
		if (tenure.isShared() && tenure.isUnheld()) {
			// The others have been released meanwhile.
			giveBack(tenure, null, now);
		}
	}

	/**
	 * End a tenure in the backend that nobody here holds.
	 * @param last the hold whose release is settled by that, or {@code null}
	 */
	void giveBack(Tenure unheld, @Nullable Hold last, Moment now) {
		unheld.lease().end();
		Release command;
		if (unheld.isShared()) {
			this.shares.leave(unheld);
			command = new Release(unheld.name(), unheld.id(), Intent.STAY, null, true);
		}
		else {
			command = this.conversation.release(unheld, this.grants.hears(), now);
		}
		this.effects.add(new Effect.SendRelease(command, unheld, last, now));
		this.effects.add(new Effect.StopRenewal(unheld));
	}

	/** The backend has answered a release, or has not. */
	void released(Effect.SendRelease release, Release.@Nullable Reply reply, @Nullable LockBackendException failure,
			Moment sentAt, Moment now) {
		Tenure tenure = release.tenure();
		if (release.command().intent() == Intent.DOWNGRADE) {
			downgraded(tenure, reply, now);
			return;
		}
		if (reply == null) {
			this.effects.add(new Effect.EndForSure(tenure.id(), tenure.lease().longestRest(now)));
		}
		Hold hold = release.hold();
		if (hold != null) {
			this.conversation.tellOf(release.command(),
					newsOf(hold, hold.heldFor(release.begun()), reply, failure, now));
		}
		if (release.command().intent() == Intent.STAY) {
			this.shares.left();
			if (!this.grants.hears()) {
				// No message tells that what was released here can be acquired here.
				this.conversation.wake();
			}
		}
		else {
			this.conversation.released(release.command(), reply, sentAt, Refusals.RECHECK_NANOS);
		}
	}

	private static Effect newsOf(Hold hold, Duration heldFor, Release.@Nullable Reply reply,
			@Nullable LockBackendException failure, Moment now) {
		if (reply == null) {
			return new Effect.Unconfirmed(hold, heldFor, Objects.requireNonNull(failure));
		}
		if (reply.outcome() == Release.Outcome.UNKNOWN) {
			return new Effect.Unconfirmed(hold, heldFor,
					new LockBackendException(hold.request().name(), Reason.UNREACHABLE,
							"the reply to the release was lost, and the lock was gone when it was repeated", null));
		}
		if (reply.outcome() != Release.Outcome.NOT_HELD) {
			return new Effect.Released(hold, heldFor);
		}
		if (hold.lease().isValid(now)) {
			return new Effect.FoundLost(hold, hold.lose(LockLoss.Reason.NOT_OWNED, now));
		}
		// The lease was valid when the release began, so the lock protected its holder to
		// the end.
		return new Effect.Unconfirmed(hold, heldFor, new LockBackendException(hold.request().name(), Reason.TIMEOUT,
				"it carried out the release only after the lease had ended", null));
	}

	private void downgraded(Tenure written, Release.@Nullable Reply reply, Moment now) {
		if (!isDowngrading(written)) {
			// It has ended meanwhile.
			return;
		}
		if (reply == null) {
			// Too much is excluded until it succeeds, never too little.
			this.refusals.refuseThoseWhoTryOnce((waiter) -> true, now);
			this.effects.add(new Effect.RetryDowngrade(written));
		}
		else if (reply.outcome() == Release.Outcome.NOT_HELD) {
			if (written.lease().isValid(now)) {
				lose(written, LockLoss.Reason.NOT_OWNED, now);
			}
			else {
				loseByExpiry(written, now);
			}
		}
		else {
			this.conversation.holdNoMore();
			written.share();
			this.shares.add(written);
		}
	}

	/** It is time to ask again to let others in beside the one who wrote. */
	void downgradeAgain(Tenure written, Moment now) {
		if (isDowngrading(written)) {
			this.conversation.downgrade(written, now);
		}
	}

	private boolean isDowngrading(Tenure written) {
		return this.conversation.isDowngrading() && this.conversation.exclusive() == written;
	}

	/** Declare the tenures lost whose lease has run out. */
	void loseExpired(Moment now) {
		Tenure current = this.conversation.exclusive();
		if (current != null && !current.lease().isValid(now)) {
			loseByExpiry(current, now);
		}
		if (!this.shares.isEmpty()) {
			for (Tenure share : List.copyOf(this.shares.all())) {
				if (!share.lease().isValid(now)) {
					loseByExpiry(share, now);
				}
			}
		}
	}

	private void loseByExpiry(Tenure tenure, Moment now) {
		lose(tenure, tenure.lease().reasonOfExpiry(), now);
	}

	/** Declare a tenure lost, unless it ended otherwise. */
	void lose(Tenure tenure, LockLoss.Reason reason, Moment now) {
		if (this.conversation.exclusive() == tenure) {
			this.conversation.holdNoMore();
		}
		else if (!this.shares.remove(tenure)) {
			return;
		}
		tenure.lease().end();
		this.effects.add(new Effect.StopRenewal(tenure));
		if (tenure.isUnheld() && reason != LockLoss.Reason.NOT_OWNED) {
			// It was on offer: nobody will release it, and the backend keeps it for
			// longer.
			this.effects.add(new Effect.EndForSure(tenure.id(), tenure.lease().longestRest(now)));
		}
		tenure.holds().all().forEach((hold) -> lose(hold, reason, now));
	}

	private void lose(Hold hold, LockLoss.Reason reason, Moment now) {
		this.effects.add(new Effect.Lost(hold, hold.lose(reason, now)));
	}

}
