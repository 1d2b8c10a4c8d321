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
 * What a {@link LockMachine} has decided is to be done. The {@link EffectRunner} does so.
 */
sealed interface Effect {

	/**
	 * Something that must be done before the next event of the same name.
	 */
	sealed interface AtOnce extends Effect {

	}

	/**
	 * A command to the backend.
	 */
	sealed interface Command extends Effect {

	}

	/**
	 * Something that a waiter is told.
	 */
	sealed interface Answer extends Effect {

	}

	/**
	 * Something that belongs to the upkeep of a tenure.
	 */
	sealed interface Upkeep extends Effect {

	}

	/**
	 * How a release went that was sent to the backend.
	 */
	sealed interface ReleaseNews extends Effect {

	}

	/**
	 * Ask for the lock.
	 *
	 * @param command the command
	 * @param asker the request it is sent for
	 */
	record SendAcquire(Acquire command, Waiter asker) implements Command {
	}

	/**
	 * End a tenure, or let others in.
	 *
	 * @param command the command
	 * @param tenure the tenure that it is about
	 * @param hold the hold whose release is settled by the answer, or {@code null}
	 * @param begun when the release began
	 */
	record SendRelease(Release command, Tenure tenure, @Nullable Hold hold, Moment begun) implements Command {
	}

	/**
	 * End a tenure whose state is unknown, again and again until the backend confirms it.
	 *
	 * @param tenure the tenure
	 * @param longest how long the backend may keep it yet
	 */
	record EndForSure(TenureId tenure, Duration longest) implements Command {
	}

	/**
	 * Leave the instances that wait, and hand on what this one was woken for or granted.
	 *
	 * @param tenure what this JVM was registered with; {@code null} if it was only woken
	 * @param settled whether all that was asked with the tenure has been answered
	 */
	record Leave(@Nullable TenureId tenure, boolean settled) implements Command {
	}

	/**
	 * A waiter has the lock.
	 *
	 * @param waiter the waiter
	 * @param hold its hold
	 * @param entry how it came to it
	 */
	record Grant(Waiter waiter, Hold hold, Entry entry) implements Answer {
	}

	/**
	 * A waiter does not get the lock.
	 *
	 * @param waiter the waiter
	 */
	record Refuse(Waiter waiter) implements Answer {
	}

	/**
	 * A request has failed.
	 *
	 * @param waiter the waiter
	 * @param cause why
	 */
	record Fail(Waiter waiter, LockException cause) implements Answer {
	}

	/**
	 * The lock is on offer to a waiter that sleeps.
	 *
	 * @param waiter the waiter
	 */
	record Signal(Waiter waiter) implements Answer {
	}

	/**
	 * Ask again by itself after a time, if nothing happens before.
	 *
	 * @param nanos the time, to be varied a little so that not all ask at once
	 * @param longestNanos no later than that
	 * @param wakeable whether a message would come first, so that this is to be soon
	 * where none would be heard
	 */
	record Recheck(long nanos, long longestNanos, boolean wakeable) implements AtOnce {
	}

	/**
	 * Do not ask again by itself any more.
	 */
	record StopRecheck() implements AtOnce {
	}

	/**
	 * Renew the lease, or watch its end.
	 *
	 * @param tenure the tenure
	 */
	record StartRenewal(Tenure tenure) implements Upkeep {
	}

	/**
	 * The tenure has ended, and with it what was to be done for it.
	 *
	 * @param tenure the tenure
	 */
	record StopRenewal(Tenure tenure) implements Upkeep {
	}

	/**
	 * Write the hold count.
	 *
	 * @param tenure the tenure
	 */
	record WriteCount(Tenure tenure) implements Upkeep {
	}

	/**
	 * Ask again in a moment to let others in.
	 *
	 * @param tenure the tenure of the one who wrote and reads on
	 */
	record RetryDowngrade(Tenure tenure) implements Upkeep {
	}

	/**
	 * A hold has been released.
	 *
	 * @param hold the hold
	 * @param heldFor for how long it was held
	 */
	record Released(Hold hold, Duration heldFor) implements ReleaseNews {
	}

	/**
	 * The lease protected the hold to its end, but nobody knows whether the backend has
	 * carried the release out.
	 *
	 * @param hold the hold
	 * @param heldFor for how long it was held
	 * @param cause why nobody knows
	 */
	record Unconfirmed(Hold hold, Duration heldFor, LockBackendException cause) implements ReleaseNews {
	}

	/**
	 * The release has found that the lock was lost before.
	 *
	 * @param hold the hold
	 * @param loss the loss
	 */
	record FoundLost(Hold hold, LockLoss loss) implements ReleaseNews {
	}

	/**
	 * A hold was lost.
	 *
	 * @param hold the hold
	 * @param loss the loss
	 */
	record Lost(Hold hold, LockLoss loss) implements AtOnce {
	}

	/**
	 * The owner of a lost hold has been told.
	 *
	 * @param hold the hold
	 */
	record ForgetLoss(Hold hold) implements AtOnce {
	}

	/**
	 * Nothing is left of this name here.
	 */
	record Retire() implements AtOnce {
	}

}
