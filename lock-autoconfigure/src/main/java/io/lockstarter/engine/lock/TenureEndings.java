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
 * Ends of tenures and their holds: releases, releases of unused grants, and losses. Used
 * under the monitor of the {@link LocalLock}.
 */
final class TenureEndings {

	private final SharedTenures shares;

	private final BackendExchange exchange;

	private final LocalGrants grants;

	private final RequestFailures failures;

	private final Effects effects;

	TenureEndings(SharedTenures shares, BackendExchange exchange, LocalGrants grants, RequestFailures failures,
			Effects effects) {
		this.shares = shares;
		this.exchange = exchange;
		this.grants = grants;
		this.failures = failures;
		this.effects = effects;
	}

	/**
	 * Releases one entry of a hold.
	 * @param reentry the re-entry condition of the entry if it is detached from its
	 * thread
	 * @throws io.lockstarter.core.LockNotHeldException if the hold was already released
	 */
	UnlockResult unlock(Hold hold, @Nullable BooleanSupplier reentry, Moment now) {
		Tenure tenure = this.grants.tenureOf(hold);
		if (tenure != null && hold.isHeld() && !hold.isValid(now)) {
			loseByExpiry(tenure, now);
		}
		boolean outermost = hold.leave(reentry);
		if (hold.isLost()) {
			if (outermost) {
				forgetLost(hold, now);
			}
			return UnlockResult.LOST;
		}
		Tenure current = Objects.requireNonNull(tenure);
		if (outermost) {
			return releaseHold(current, hold, now);
		}
		this.effects.add(new Effect.WriteCount(current));
		return UnlockResult.STILL_HELD;
	}

	private UnlockResult releaseHold(Tenure tenure, Hold hold, Moment now) {
		hold.released();
		tenure.holds().remove(hold);
		if (!tenure.isUnheld()) {
			if (tenure.mode() == Exclusivity.EXCLUSIVE && tenure.holds().exclusive() == null
					&& !this.exchange.isDowngrading()) {
				this.exchange.downgrade(tenure, now);
			}
			return UnlockResult.RELEASED;
		}
		boolean staysHere = switch (tenure.mode()) {
			// The tenure is unheld from here on and is offered to the head of the queue.
			case EXCLUSIVE -> this.grants.mayHandOverToHead(now);
			case PERMIT -> this.grants.handOverPermit(tenure, now);
			case READER -> false;
		};
		if (staysHere) {
			return UnlockResult.RELEASED;
		}
		releaseUnheld(tenure, hold, now);
		return UnlockResult.RELEASING;
	}

	/** Forgets a lost hold whose owner is notified of the loss. */
	private void forgetLost(Hold lost, Moment now) {
		if (lost.lease().hasEnded()) {
			// The lease may have been renewed after this JVM considered it lost.
			this.effects.add(new Effect.CancelUntilConfirmed(lost.tenure(), lost.lease().longestRest(now)));
		}
		this.effects.add(new Effect.ForgetLoss(lost));
	}

	/** Declares a single hold lost, while its tenure may continue for other holds. */
	void loseHold(Hold hold, LockLoss.Reason reason, Moment now) {
		Tenure tenure = this.grants.tenureOf(hold);
		if (tenure == null || !hold.isHeld()) {
			return;
		}
		tenure.holds().remove(hold);
		lose(hold, reason, now);
		if (tenure.isShared() && tenure.isUnheld()) {
			// The other holds have been released in the meantime.
			releaseUnheld(tenure, null, now);
		}
	}

	/**
	 * Releases a tenure that no owner in this JVM holds.
	 * @param last the hold whose release completes with the reply, or {@code null}
	 */
	void releaseUnheld(Tenure unheld, @Nullable Hold last, Moment now) {
		unheld.lease().end();
		Release command;
		if (unheld.isShared()) {
			this.shares.leave(unheld);
			command = new Release(unheld.name(), unheld.id(), Intent.STAY, null, true);
		}
		else {
			command = this.exchange.release(unheld, now);
		}
		this.effects.add(new Effect.SendRelease(command, unheld, last, now));
		this.effects.add(new Effect.StopRenewal(unheld));
	}

	/** Handles the reply to a release, or its failure. */
	void released(Effect.SendRelease release, Release.@Nullable Reply reply, @Nullable LockBackendException failure,
			Moment sentAt, Moment now) {
		Tenure tenure = release.tenure();
		if (release.command().intent() == Intent.DOWNGRADE) {
			downgraded(tenure, reply, now);
			return;
		}
		if (reply == null) {
			this.effects.add(new Effect.CancelUntilConfirmed(tenure.id(), tenure.lease().longestRest(now)));
		}
		Hold hold = release.hold();
		if (hold != null) {
			this.exchange.publish(release.command(),
					releaseOutcome(hold, hold.heldFor(release.begun()), reply, failure, now));
		}
		if (release.command().intent() == Intent.STAY) {
			this.shares.left();
			if (!this.exchange.isSubscribed()) {
				// While not subscribed, no message reports that the released share can be
				// acquired here.
				this.exchange.wake();
			}
		}
		else {
			this.exchange.released(release.command(), reply, sentAt, RequestFailures.RECHECK_NANOS);
		}
	}

	private static Effect releaseOutcome(Hold hold, Duration heldFor, Release.@Nullable Reply reply,
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
			return new Effect.LossFoundByRelease(hold, hold.lose(LockLoss.Reason.NOT_OWNED, now));
		}
		// The lease was valid when the release began, so the hold was protected until its
		// end.
		return new Effect.Unconfirmed(hold, heldFor, new LockBackendException(hold.request().name(), Reason.TIMEOUT,
				"the release was carried out only after the lease had expired", null));
	}

	private void downgraded(Tenure written, Release.@Nullable Reply reply, Moment now) {
		if (!isDowngrading(written)) {
			// The tenure has ended in the meantime.
			return;
		}
		if (reply == null) {
			// Until the downgrade succeeds, too many requests are excluded, never too
			// few.
			this.failures.refuseThoseWhoTryOnce((waiter) -> true, now);
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
			this.exchange.stopHolding();
			written.share();
			this.shares.add(written);
		}
	}

	/** Repeats a downgrade. */
	void downgradeAgain(Tenure written, Moment now) {
		if (isDowngrading(written)) {
			this.exchange.downgrade(written, now);
		}
	}

	private boolean isDowngrading(Tenure written) {
		return this.exchange.isDowngrading() && this.exchange.exclusive() == written;
	}

	/** Declares the tenures lost whose lease has expired. */
	void loseExpired(Moment now) {
		Tenure current = this.exchange.exclusive();
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

	/** Declares a tenure lost, unless it has already ended. */
	void lose(Tenure tenure, LockLoss.Reason reason, Moment now) {
		if (this.exchange.exclusive() == tenure) {
			this.exchange.stopHolding();
		}
		else if (!this.shares.remove(tenure)) {
			return;
		}
		tenure.lease().end();
		this.effects.add(new Effect.StopRenewal(tenure));
		if (tenure.isUnheld() && reason != LockLoss.Reason.NOT_OWNED) {
			// The tenure was unheld: no owner will release it, and the backend keeps it
			// beyond the local deadline.
			this.effects.add(new Effect.CancelUntilConfirmed(tenure.id(), tenure.lease().longestRest(now)));
		}
		tenure.holds().all().forEach((hold) -> lose(hold, reason, now));
	}

	private void lose(Hold hold, LockLoss.Reason reason, Moment now) {
		this.effects.add(new Effect.Lost(hold, hold.lose(reason, now)));
	}

}
