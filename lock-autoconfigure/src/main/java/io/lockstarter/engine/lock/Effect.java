package io.lockstarter.engine.lock;

import java.time.Duration;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockException;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.engine.lease.Moment;
import org.jspecify.annotations.Nullable;

/**
 * Action that a {@link LockMachine} has decided on and an {@link EffectRunner} carries
 * out.
 */
sealed interface Effect {

	/**
	 * Effect that runs under the monitor, before the next event of the same name.
	 * Listeners are notified of a {@link Lost} hold later, without the monitor.
	 */
	sealed interface AtOnce extends Effect {

	}

	/**
	 * Command to the backend.
	 */
	sealed interface Command extends Effect {

	}

	/**
	 * Notification of a waiter.
	 */
	sealed interface Notification extends Effect {

	}

	/**
	 * Maintenance of a tenure.
	 */
	sealed interface Upkeep extends Effect {

	}

	/**
	 * Outcome of a release.
	 */
	sealed interface ReleaseOutcome extends Effect {

	}

	/**
	 * Acquire request to the backend.
	 *
	 * @param command the command
	 * @param requester the request for which the command is sent
	 */
	record SendAcquire(Acquire command, Waiter requester) implements Command {
	}

	/**
	 * Release or downgrade of a tenure.
	 *
	 * @param command the command
	 * @param tenure the tenure
	 * @param hold the hold whose release completes with the reply, or {@code null}
	 * @param begun the moment at which the release began
	 */
	record SendRelease(Release command, Tenure tenure, @Nullable Hold hold, Moment begun) implements Command {
	}

	/**
	 * Cancellation of a tenure whose state is unknown, repeated until the backend
	 * confirms it.
	 *
	 * @param tenure the tenure
	 * @param longest the time for which the backend may still keep the tenure
	 */
	record CancelUntilConfirmed(TenureId tenure, Duration longest) implements Command {
	}

	/**
	 * Departure from the waiting instances, which passes a wake-up or grant of this JVM
	 * to the next one.
	 *
	 * @param tenure the tenure that waits, or {@code null} if this JVM was only woken
	 * @param replied whether all requests with the tenure have been replied to
	 */
	record Leave(@Nullable TenureId tenure, boolean replied) implements Command {
	}

	/**
	 * Grant of the lock to a waiter.
	 *
	 * @param waiter the waiter
	 * @param hold its hold
	 * @param kind the way in which the owner got the hold
	 */
	record Grant(Waiter waiter, Hold hold, GrantKind kind) implements Notification {
	}

	/**
	 * Refusal of the lock to a waiter.
	 *
	 * @param waiter the waiter
	 */
	record Refuse(Waiter waiter) implements Notification {
	}

	/**
	 * Failure of a request.
	 *
	 * @param waiter the waiter
	 * @param cause the failure
	 */
	record Fail(Waiter waiter, LockException cause) implements Notification {
	}

	/**
	 * Offer of the lock to a waiter whose thread is parked.
	 *
	 * @param waiter the waiter
	 */
	record Signal(Waiter waiter) implements Notification {
	}

	/**
	 * Timer that repeats the acquire request, unless an event stops it before.
	 *
	 * @param nanos the time, which is varied slightly so that the instances do not all
	 * send at once
	 * @param longestNanos the maximum of that time
	 * @param wakeable whether a message usually comes first, so that the time is
	 * shortened while not subscribed
	 */
	record Recheck(long nanos, long longestNanos, boolean wakeable) implements AtOnce {
	}

	/**
	 * Cancellation of the {@link Recheck} timer.
	 */
	record StopRecheck() implements AtOnce {
	}

	/**
	 * Start of the renewal of a lease, or of the watch for its end.
	 *
	 * @param tenure the tenure
	 */
	record StartRenewal(Tenure tenure) implements Upkeep {
	}

	/**
	 * Stop of the renewal, because the tenure has ended.
	 *
	 * @param tenure the tenure
	 */
	record StopRenewal(Tenure tenure) implements Upkeep {
	}

	/**
	 * Write of the hold count to the backend.
	 *
	 * @param tenure the tenure
	 */
	record WriteCount(Tenure tenure) implements Upkeep {
	}

	/**
	 * Delayed retry of a downgrade.
	 *
	 * @param tenure the tenure of the writer who continues as a reader
	 */
	record RetryDowngrade(Tenure tenure) implements Upkeep {
	}

	/**
	 * Confirmed release of a hold.
	 *
	 * @param hold the hold
	 * @param heldFor the time for which it was held
	 */
	record Released(Hold hold, Duration heldFor) implements ReleaseOutcome {
	}

	/**
	 * Release that the backend has not confirmed, of a hold whose lease was valid until
	 * its end.
	 *
	 * @param hold the hold
	 * @param heldFor the time for which it was held
	 * @param cause the reason for the missing confirmation
	 */
	record Unconfirmed(Hold hold, Duration heldFor, LockBackendException cause) implements ReleaseOutcome {
	}

	/**
	 * Release of a hold that turned out to have been lost before.
	 *
	 * @param hold the hold
	 * @param loss the loss
	 */
	record LossFoundByRelease(Hold hold, LockLoss loss) implements ReleaseOutcome {
	}

	/**
	 * Loss of a hold.
	 *
	 * @param hold the hold
	 * @param loss the loss
	 */
	record Lost(Hold hold, LockLoss loss) implements AtOnce {
	}

	/**
	 * Notification of the owner of a lost hold, after which the loss is forgotten.
	 *
	 * @param hold the hold
	 */
	record ForgetLoss(Hold hold) implements AtOnce {
	}

	/**
	 * Removal of a name that has nothing left in this JVM.
	 */
	record Retire() implements AtOnce {
	}

}
