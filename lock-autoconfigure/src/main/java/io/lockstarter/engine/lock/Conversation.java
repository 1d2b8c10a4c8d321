package io.lockstarter.engine.lock;

import java.util.OptionalLong;
import java.util.function.Supplier;

import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.engine.lease.Moment;
import io.lockstarter.engine.lock.RemoteState.Asking;
import io.lockstarter.engine.lock.RemoteState.Downgrading;
import io.lockstarter.engine.lock.RemoteState.Held;
import io.lockstarter.engine.lock.RemoteState.Releasing;
import io.lockstarter.engine.lock.RemoteState.Waiting;
import org.jspecify.annotations.Nullable;

/**
 * Exchange with the backend about one name, with one acquire request or release in flight
 * at a time. Holds the {@link RemoteState}. Used under the monitor of the
 * {@link LocalLock}.
 */
final class Conversation {

	private final LocalQueue queue;

	private final MachineTerms terms;

	private final Supplier<TenureId> tenureIds;

	private final Effects effects;

	private final ReturnBudget returns = new ReturnBudget();

	private RemoteState state = RemoteState.IDLE;

	/**
	 * Whether a message has reported a waiting instance since the last acquire request.
	 */
	private boolean contended;

	Conversation(LocalQueue queue, MachineTerms terms, Supplier<TenureId> tenureIds, Effects effects) {
		this.queue = queue;
		this.terms = terms;
		this.tenureIds = tenureIds;
		this.effects = effects;
	}

	RemoteState state() {
		return this.state;
	}

	boolean isAsking() {
		return this.state instanceof Asking;
	}

	/**
	 * Returns whether the request in flight, or the refusal that this JVM waits with,
	 * applies to a request at the head of the queue.
	 */
	boolean isFor(Waiter head) {
		return (this.state instanceof Asking asking && asking.asker().hasTermsLike(head))
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
	boolean isOnOffer() {
		Tenure current = exclusive();
		return current != null && current.isUnheld();
	}

	/** Records that another instance waits for the lock. */
	void contended() {
		this.contended = true;
	}

	/**
	 * Sends an acquire request for the head of the queue, unless a request that applies
	 * to it is in flight or was refused.
	 */
	void askIfDue(Waiter head, Moment now) {
		if (this.state instanceof RemoteState.Idle) {
			ask(head, null, now);
		}
		else if (this.state instanceof Waiting waiting && (this.queue.anyoneTriesOnce() || !waiting.isFor(head))) {
			Registration registration = stopWaiting();
			ask(head, registration, now);
		}
	}

	private void ask(Waiter head, @Nullable Registration registered, Moment now) {
		Registration registration = registered;
		if (registered != null && registered.isUselessFor(head)) {
			this.effects.add(new Effect.Leave(registered.tenure(), true));
			registration = registered.withoutTenure();
		}
		Acquire command = acquire(head, registration, this.queue.anyoneWaits(), now);
		this.contended = false;
		this.state = new Asking(command, head, registration, now, false);
		this.effects.add(new Effect.SendAcquire(command, head));
	}

	private Acquire acquire(Waiter head, @Nullable Registration registration, boolean registers, Moment now) {
		LockBackend.Waiting waiting = null;
		if (registers) {
			OptionalLong place = (registration != null) ? registration.placeFor(head) : OptionalLong.empty();
			waiting = new LockBackend.Waiting(place, head.waited(now), this.terms.acceptsDirectGrant(head),
					this.queue.waiting());
		}
		// A message may have granted the lock to the registered tenure.
		TenureId known = (registration != null) ? registration.tenure() : null;
		return new Acquire(head.request().name(), (known != null) ? known : this.tenureIds.get(), head.request().type(),
				this.terms.label(head.owner()), head.lease(), waiting, head.permits());
	}

	/** Ends the acquire request in flight, which has been replied to or has failed. */
	Asking endQuestion() {
		Asking asked = (Asking) this.state;
		this.state = RemoteState.IDLE;
		return asked;
	}

	/**
	 * Publishes the effects that were postponed until the reply to an acquire request.
	 */
	void tellPostponed() {
		this.returns.takePostponed().forEach(this.effects::add);
	}

	/**
	 * Records that an acquire request was refused. The other holders wake the next
	 * waiters.
	 */
	void refused() {
		this.returns.refused();
	}

	/**
	 * Makes the next request due, and keeps the queue position that this JVM is
	 * registered with.
	 */
	void askAgainWith(@Nullable Registration registration) {
		this.state = (registration != null) ? new Waiting(registration, null) : RemoteState.IDLE;
	}

	/**
	 * Waits for the turn of this JVM, if it is registered for a waiting request and has
	 * not been woken.
	 * @param nanos the time after which the request is repeated without a wake-up
	 * @param longestNanos the maximum of that time
	 */
	void awaitTurn(@Nullable Registration registration, Waiter asker, boolean woken, long nanos, long longestNanos) {
		if (registration == null || woken || this.queue.isEmpty()) {
			askAgainWith(registration);
		}
		else {
			waitWith(registration, asker, new Effect.Recheck(nanos, longestNanos, true));
		}
	}

	/** Waits, with or without a queue position. */
	void waitWith(@Nullable Registration registration, Waiter asker, Effect.Recheck again) {
		this.state = new Waiting(registration, asker);
		this.effects.add(again);
	}

	private @Nullable Registration stopWaiting() {
		Waiting waiting = (Waiting) this.state;
		if (waiting.asker() != null) {
			this.effects.add(new Effect.StopRecheck());
		}
		this.state = RemoteState.IDLE;
		return waiting.registration();
	}

	/** Handles a wake-up, after which the lock may be free. */
	void wake() {
		if (this.state instanceof Asking asking) {
			this.state = asking.wake();
		}
		else if (this.state instanceof Releasing releasing) {
			this.state = releasing.wake();
		}
		else if (this.state instanceof Waiting) {
			askAgainWith(stopWaiting());
		}
	}

	boolean isWaiting() {
		return this.state instanceof Waiting;
	}

	/** Returns whether the reply in flight will report the state of a tenure. */
	boolean isUnderWay(TenureId tenure) {
		return (this.state instanceof Asking asking && asking.isFor(tenure))
				|| (this.state instanceof Releasing releasing && releasing.isFor(tenure));
	}

	/**
	 * Returns the registration that waits for a direct grant of a tenure, or {@code
	 * null}.
	 */
	@Nullable Registration waitsWith(TenureId tenure) {
		Registration registration = (this.state instanceof Waiting waiting) ? waiting.registration() : null;
		return (registration != null && registration.isFor(tenure)) ? registration : null;
	}

	/** Stops waiting, because a message granted the tenure that this JVM waited for. */
	void endWaiting() {
		stopWaiting();
	}

	/** Records a grant by the backend, which ends the registration of this JVM. */
	void granted(Tenure begun, boolean contendedElsewhere, Moment now) {
		this.returns.granted(now);
		if (contendedElsewhere || this.contended) {
			begun.contend(now);
		}
	}

	/** Begins to hold the lock exclusively. */
	void hold(Tenure granted) {
		this.state = new Held(granted);
	}

	/** Stops holding the lock exclusively, because it is lost or shared. */
	void holdNoMore() {
		this.state = RemoteState.IDLE;
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
	 * @param hears whether this JVM is notified when other instances wait
	 * @return the command for the backend
	 */
	Release release(Tenure unheld, boolean hears, Moment now) {
		Waiter head = this.queue.anyoneWaits() ? this.queue.head() : null;
		Intent intent = Intent.LEAVE;
		Acquire next = null;
		if (head != null) {
			intent = this.returns.mayReturn(head, unheld.budget(), hears, now) ? Intent.RETURN : Intent.YIELD;
			next = (intent == Intent.YIELD) ? acquire(head, null, true, now) : null;
		}
		Release command = new Release(unheld.name(), unheld.id(), intent, next, true);
		// If the backend carries commands out in order, the next acquire request follows
		// at once.
		boolean followed = this.terms.isFollowed(intent);
		this.returns.released(command, followed);
		this.state = followed ? RemoteState.IDLE : new Releasing(command, (next != null) ? head : null, false);
		return command;
	}

	/**
	 * Publishes the outcome of a release. If an acquire request was sent along, the
	 * outcome is postponed until its reply, which arrives at the same time: the new
	 * holder then need not wait until the releasing thread has woken up.
	 */
	void tellOf(Release command, Effect news) {
		if (isAsking() && command.intent() == Intent.RETURN && wasFollowed(command)) {
			this.returns.postpone(news);
		}
		else {
			this.effects.add(news);
		}
	}

	private boolean wasFollowed(Release command) {
		return this.terms.isFollowed(command.intent()) && this.returns.isUnanswered();
	}

	/**
	 * Handles the reply to a release.
	 * @param reply the reply, or {@code null} if it was lost
	 * @param recheckNanos the time after which the request is repeated without a wake-up
	 */
	void released(Release command, Release.@Nullable Reply reply, Moment sentAt, long recheckNanos) {
		if (wasFollowed(command)) {
			this.returns.answered();
			if (this.state instanceof Waiting) {
				// The acquire request overtook the release, and was refused because of
				// the tenure that has ended.
				askAgainWith(stopWaiting());
			}
			return;
		}
		Releasing ending = (Releasing) this.state;
		this.state = RemoteState.IDLE;
		Acquire next = command.next();
		Waiter asker = ending.asker();
		if (next == null || asker == null) {
			return;
		}
		if (reply == null) {
			// The request may have been registered, and its tenure granted since.
			this.effects.add(new Effect.EndForSure(next.tenure(), next.lease()));
			return;
		}
		awaitTurn(Registration.of(reply.position(), asker, next, sentAt), asker, ending.woken() || reply.first(),
				recheckNanos, Long.MAX_VALUE);
	}

	/**
	 * Leaves the waiting instances and wakes the next ones, because no request of this
	 * JVM waits.
	 * @return {@code false} if a reply in flight has to arrive first
	 */
	boolean leave() {
		Registration left = null;
		if (this.state instanceof Waiting) {
			left = stopWaiting();
		}
		else if (!(this.state instanceof RemoteState.Idle)) {
			return false;
		}
		if (left != null || this.returns.owesWakeUp()) {
			this.effects.add(new Effect.Leave((left != null) ? left.tenure() : null, true));
			this.returns.wokeOthers();
		}
		return !this.returns.isUnanswered();
	}

}
