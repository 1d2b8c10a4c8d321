package io.lockstarter.engine.lock;

import java.util.OptionalLong;
import java.util.function.Supplier;

import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.engine.lease.Moment;
import io.lockstarter.engine.lock.BackendState.Downgrading;
import io.lockstarter.engine.lock.BackendState.Held;
import io.lockstarter.engine.lock.BackendState.Releasing;
import io.lockstarter.engine.lock.BackendState.Requesting;
import io.lockstarter.engine.lock.BackendState.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * Exchange with the backend about one name, with one acquire request or release in flight
 * at a time. Holds the {@link BackendState}. Used under the monitor of the
 * {@link LocalLock}.
 */
final class BackendExchange {

	private final LocalQueue queue;

	private final MachineSettings settings;

	private final Supplier<TenureId> tenureIds;

	private final Effects effects;

	private final ReacquisitionLimit reacquisitions = new ReacquisitionLimit();

	private BackendState state = BackendState.IDLE;

	/**
	 * True if a message has reported a waiting instance since the last acquire request.
	 */
	private boolean contended;

	/** True if this JVM is notified when other instances wait. */
	private boolean subscribed;

	BackendExchange(LocalQueue queue, MachineSettings settings, Supplier<TenureId> tenureIds, Effects effects) {
		this.queue = queue;
		this.settings = settings;
		this.tenureIds = tenureIds;
		this.effects = effects;
	}

	BackendState state() {
		return this.state;
	}

	boolean isRequesting() {
		return this.state instanceof Requesting;
	}

	/**
	 * Returns whether the request in flight, or the refusal that this JVM waits with,
	 * applies to a request at the head of the queue.
	 */
	boolean isFor(Waiter head) {
		return (this.state instanceof Requesting requesting && requesting.requester().hasOptionsLike(head))
				|| (this.state instanceof Waiting waiting && waiting.isFor(head));
	}

	/** Returns the exclusive tenure, or {@code null} if there is none. */
	@Nullable Tenure exclusive() {
		if (this.state instanceof Held held) {
			return held.tenure();
		}
		return (this.state instanceof Downgrading downgrading) ? downgrading.tenure() : null;
	}

	/**
	 * Returns whether this JVM has the lock exclusively, but no owner in it holds the
	 * lock.
	 */
	boolean isUnheld() {
		Tenure current = exclusive();
		return current != null && current.isUnheld();
	}

	/** Sets whether this JVM is notified when other instances wait. */
	void subscribed(boolean subscribed) {
		this.subscribed = subscribed;
	}

	boolean isSubscribed() {
		return this.subscribed;
	}

	/** Records that another instance waits for the lock. */
	void contended() {
		this.contended = true;
	}

	/**
	 * Sends an acquire request for the head of the queue, unless a request that applies
	 * to it is in flight or was refused.
	 */
	void acquireIfDue(Waiter head, Moment now) {
		if (this.state instanceof BackendState.Idle) {
			sendAcquire(head, null, now);
		}
		else if (this.state instanceof Waiting waiting && (this.queue.anyoneTriesOnce() || !waiting.isFor(head))) {
			QueuePosition position = stopWaiting();
			sendAcquire(head, position, now);
		}
	}

	private void sendAcquire(Waiter head, @Nullable QueuePosition registered, Moment now) {
		QueuePosition position = registered;
		if (registered != null && registered.isUselessFor(head)) {
			this.effects.add(new Effect.Leave(registered.tenure(), true));
			position = registered.withoutTenure();
		}
		Acquire command = acquire(head, position, this.queue.anyoneWaits(), now);
		this.contended = false;
		this.state = new Requesting(command, head, position, now, false);
		this.effects.add(new Effect.SendAcquire(command, head));
	}

	private Acquire acquire(Waiter head, @Nullable QueuePosition position, boolean registers, Moment now) {
		LockBackend.Waiting waiting = null;
		if (registers) {
			OptionalLong score = (position != null) ? position.scoreFor(head) : OptionalLong.empty();
			waiting = new LockBackend.Waiting(score, head.waited(now), this.settings.acceptsDirectGrant(head),
					this.queue.waiting());
		}
		// A message may have granted the lock to the tenure that waits.
		TenureId known = (position != null) ? position.tenure() : null;
		return new Acquire(head.request().name(), (known != null) ? known : this.tenureIds.get(), head.request().type(),
				this.settings.label(head.owner()), head.lease(), waiting, head.permits());
	}

	/** Ends the acquire request in flight, which has been replied to or has failed. */
	Requesting endRequest() {
		Requesting ended = (Requesting) this.state;
		this.state = BackendState.IDLE;
		return ended;
	}

	/**
	 * Records that an acquire request was refused. The other holders wake the next
	 * waiters.
	 */
	void refused() {
		this.reacquisitions.refused();
	}

	/**
	 * Makes the next request due, which keeps the queue position of this JVM.
	 */
	void requestAgainWith(@Nullable QueuePosition position) {
		this.state = (position != null) ? new Waiting(position, null) : BackendState.IDLE;
	}

	/**
	 * Waits for the turn of this JVM, if it has a queue position and has not been woken.
	 * @param nanos the time after which the request is repeated without a wake-up
	 * @param longestNanos the maximum of that time
	 */
	void awaitTurn(@Nullable QueuePosition position, Waiter requester, boolean woken, long nanos, long longestNanos) {
		if (position == null || woken || this.queue.isEmpty()) {
			requestAgainWith(position);
		}
		else {
			waitWith(position, requester, new Effect.Recheck(nanos, longestNanos, true));
		}
	}

	/** Waits, with or without a queue position. */
	void waitWith(@Nullable QueuePosition position, Waiter requester, Effect.Recheck again) {
		this.state = new Waiting(position, requester);
		this.effects.add(again);
	}

	/** Stops waiting, and returns the queue position of this JVM. */
	@Nullable QueuePosition stopWaiting() {
		Waiting waiting = (Waiting) this.state;
		if (waiting.requester() != null) {
			this.effects.add(new Effect.StopRecheck());
		}
		this.state = BackendState.IDLE;
		return waiting.position();
	}

	/** Handles a wake-up, after which the lock may be free. */
	void wake() {
		if (this.state instanceof Requesting requesting) {
			this.state = requesting.wake();
		}
		else if (this.state instanceof Releasing releasing) {
			this.state = releasing.wake();
		}
		else if (this.state instanceof Waiting) {
			requestAgainWith(stopWaiting());
		}
	}

	boolean isWaiting() {
		return this.state instanceof Waiting;
	}

	/** Returns whether the reply in flight will report the state of a tenure. */
	boolean isUnderWay(TenureId tenure) {
		return (this.state instanceof Requesting requesting && requesting.isFor(tenure))
				|| (this.state instanceof Releasing releasing && releasing.isFor(tenure));
	}

	/**
	 * Returns the queue position that waits for a direct grant of a tenure, or {@code
	 * null}.
	 */
	@Nullable QueuePosition waitsWith(TenureId tenure) {
		QueuePosition position = (this.state instanceof Waiting waiting) ? waiting.position() : null;
		return (position != null && position.isFor(tenure)) ? position : null;
	}

	/** Records a grant by the backend, which ends the queue position of this JVM. */
	void granted(Tenure begun, boolean contendedElsewhere, Moment now) {
		this.reacquisitions.granted(now);
		if (contendedElsewhere || this.contended) {
			begun.contend(now);
		}
	}

	/** Begins to hold the lock exclusively. */
	void hold(Tenure granted) {
		this.state = new Held(granted);
	}

	/** Stops holding the lock exclusively, because it is lost or shared. */
	void stopHolding() {
		this.state = BackendState.IDLE;
	}

	/**
	 * Sends a downgrade to the backend, because the writer continues only as a reader.
	 */
	void downgrade(Tenure written, Moment now) {
		this.state = new Downgrading(written);
		Release command = new Release(written.name(), written.id(), Intent.DOWNGRADE, null);
		this.effects.add(new Effect.SendRelease(command, written, null, now));
	}

	boolean isDowngrading() {
		return this.state instanceof Downgrading;
	}

	/**
	 * Begins to release an exclusive tenure.
	 * @return the command for the backend
	 */
	Release release(Tenure unheld, Moment now) {
		Waiter head = this.queue.anyoneWaits() ? this.queue.head() : null;
		Intent intent = Intent.LEAVE;
		Acquire next = null;
		if (head != null) {
			intent = this.reacquisitions.mayReturn(head, unheld.handovers(), this.subscribed, now) ? Intent.RETURN
					: Intent.YIELD;
			next = (intent == Intent.YIELD) ? acquire(head, null, true, now) : null;
		}
		Release command = new Release(unheld.name(), unheld.id(), intent, next, true);
		// If the backend carries commands out in order, the next acquire request follows
		// at once.
		boolean followed = this.settings.isFollowed(intent);
		this.reacquisitions.released(command, followed);
		this.state = followed ? BackendState.IDLE : new Releasing(command, (next != null) ? head : null, false);
		return command;
	}

	/**
	 * Publishes the outcome of a release. If an acquire request was sent along, the
	 * outcome is postponed until its reply, which arrives at the same time: the new
	 * holder then need not wait until the releasing thread has woken up.
	 */
	void publish(Release command, Effect outcome) {
		if (isRequesting() && command.intent() == Intent.RETURN && this.settings.isFollowed(Intent.RETURN)) {
			this.effects.postpone(outcome);
		}
		else {
			this.effects.add(outcome);
		}
	}

	/**
	 * Handles the reply to a release.
	 * @param reply the reply, or {@code null} if it was lost
	 * @param recheckNanos the time after which the request is repeated without a wake-up
	 */
	void released(Release command, Release.@Nullable Reply reply, Moment sentAt, long recheckNanos) {
		if (this.settings.isFollowed(command.intent())) {
			this.reacquisitions.replied();
			if (this.state instanceof Waiting) {
				// The acquire request overtook the release, and was refused because of
				// the tenure that has ended.
				requestAgainWith(stopWaiting());
			}
			return;
		}
		Releasing ending = (Releasing) this.state;
		this.state = BackendState.IDLE;
		Acquire next = command.next();
		Waiter requester = ending.requester();
		if (next == null || requester == null) {
			return;
		}
		if (reply == null) {
			// The request may have a queue position, and its tenure may have been
			// granted.
			this.effects.add(new Effect.CancelUntilConfirmed(next.tenure(), next.lease()));
			return;
		}
		awaitTurn(QueuePosition.of(reply.position(), requester, next, sentAt), requester,
				ending.woken() || reply.first(), recheckNanos, Long.MAX_VALUE);
	}

	/**
	 * Leaves the waiting instances and wakes the next ones, because no request of this
	 * JVM waits.
	 * @return {@code false} if a reply in flight has to arrive first
	 */
	boolean leave() {
		QueuePosition left = null;
		if (this.state instanceof Waiting) {
			left = stopWaiting();
		}
		else if (!(this.state instanceof BackendState.Idle)) {
			return false;
		}
		if (left != null || this.reacquisitions.isWakeUpPending()) {
			this.effects.add(new Effect.Leave((left != null) ? left.tenure() : null, true));
			this.reacquisitions.wokeOthers();
		}
		return !this.reacquisitions.awaitsReply();
	}

}
