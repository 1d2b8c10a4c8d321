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
 * What this JVM says to the backend about one name: one question or release at a time.
 * Holds the {@link RemoteState}. Used under the monitor of the {@link LocalLock}.
 */
final class Conversation {

	private final LocalQueue queue;

	private final MachineTerms terms;

	private final Supplier<TenureId> tenureIds;

	private final Effects effects;

	private final ReturnBudget returns = new ReturnBudget();

	private RemoteState state = RemoteState.IDLE;

	/** Whether another instance has been heard to wait since this one asked last. */
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

	/** Whether the backend is asked, or was asked and has refused, for such a request. */
	boolean isFor(Waiter head) {
		return (this.state instanceof Asking asking && asking.asker().hasTermsLike(head))
				|| (this.state instanceof Waiting waiting && waiting.isFor(head));
	}

	/** The tenure that excludes all others, or {@code null} if there is none. */
	@Nullable Tenure exclusive() {
		if (this.state instanceof Held held) {
			return held.tenure();
		}
		return (this.state instanceof Downgrading downgrading) ? downgrading.tenure() : null;
	}

	/** Whether this JVM has the lock for itself, and nobody in it holds it. */
	boolean isOnOffer() {
		Tenure current = exclusive();
		return current != null && current.isUnheld();
	}

	/** Another instance waits for the lock. */
	void contended() {
		this.contended = true;
	}

	/** Ask for whoever heads the queue, unless its answer is still to be waited for. */
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
		// The tenure it is registered with may have been granted meanwhile.
		TenureId known = (registration != null) ? registration.tenure() : null;
		return new Acquire(head.request().name(), (known != null) ? known : this.tenureIds.get(), head.request().type(),
				this.terms.label(head.owner()), head.lease(), waiting, head.permits());
	}

	/** The question under way has been answered, or has failed. */
	Asking endQuestion() {
		Asking asked = (Asking) this.state;
		this.state = RemoteState.IDLE;
		return asked;
	}

	/** Tell what had to wait for the answer to a question. */
	void tellPostponed() {
		this.returns.takePostponed().forEach(this.effects::add);
	}

	/** A question was refused: others have the lock, and wake those who are next. */
	void refused() {
		this.returns.refused();
	}

	/** Whoever waits is asked for again, with what this JVM is registered with. */
	void askAgainWith(@Nullable Registration registration) {
		this.state = (registration != null) ? new Waiting(registration, null) : RemoteState.IDLE;
	}

	/**
	 * Wait for the turn of this JVM, if it is registered for anybody who waits, and has
	 * not been woken.
	 * @param nanos after which time to ask again by itself
	 * @param longestNanos no later than that
	 */
	void awaitTurn(@Nullable Registration registration, Waiter asker, boolean woken, long nanos, long longestNanos) {
		if (registration == null || woken || this.queue.isEmpty()) {
			askAgainWith(registration);
		}
		else {
			waitWith(registration, asker, new Effect.Recheck(nanos, longestNanos, true));
		}
	}

	/** Wait, registered or not. */
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

	/** The lock may be free. */
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

	/** Whether the answer under way tells what has become of a tenure. */
	boolean isUnderWay(TenureId tenure) {
		return (this.state instanceof Asking asking && asking.isFor(tenure))
				|| (this.state instanceof Releasing releasing && releasing.isFor(tenure));
	}

	/** What this JVM waits with for a direct grant of a tenure, or {@code null}. */
	@Nullable Registration waitsWith(TenureId tenure) {
		Registration registration = (this.state instanceof Waiting waiting) ? waiting.registration() : null;
		return (registration != null && registration.isFor(tenure)) ? registration : null;
	}

	/** A tenure that this JVM waited for was granted by a message. */
	void endWaiting() {
		stopWaiting();
	}

	/** The backend has granted the lock; what this JVM was registered with is over. */
	void granted(Tenure begun, boolean contendedElsewhere, Moment now) {
		this.returns.granted(now);
		if (contendedElsewhere || this.contended) {
			begun.contend(now);
		}
	}

	/** This JVM has the lock for itself. */
	void hold(Tenure granted) {
		this.state = new Held(granted);
	}

	/** The lock is lost, or shared. */
	void holdNoMore() {
		this.state = RemoteState.IDLE;
	}

	/** The one who wrote only reads on, which the backend is told. */
	void downgrade(Tenure written, Moment now) {
		this.state = new Downgrading(written);
		Release command = new Release(written.name(), written.id(), Intent.DOWNGRADE, null);
		this.effects.add(new Effect.SendRelease(command, written, null, now));
	}

	boolean isDowngrading() {
		return this.state instanceof Downgrading;
	}

	/**
	 * Begin to end a tenure that excludes all others.
	 * @param hears whether this JVM would hear of others who wait
	 * @return what the backend is to be told
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
		// Where commands keep their order, the next question goes along.
		boolean followed = this.terms.isFollowed(intent);
		this.returns.released(command, followed);
		this.state = followed ? RemoteState.IDLE : new Releasing(command, (next != null) ? head : null, false);
		return command;
	}

	/**
	 * Tell of a release. If a question went along, its answer comes at the same moment:
	 * whom the lock is granted to need not wait until the thread that has released it is
	 * woken.
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
	 * A release has been answered.
	 * @param reply the answer; {@code null} if it is lost
	 * @param recheckNanos after which time to ask again by itself
	 */
	void released(Release command, Release.@Nullable Reply reply, Moment sentAt, long recheckNanos) {
		if (wasFollowed(command)) {
			this.returns.answered();
			if (this.state instanceof Waiting) {
				// The question came first and was refused by the tenure that has ended.
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
			// It may have been registered, or granted since.
			this.effects.add(new Effect.EndForSure(next.tenure(), next.lease()));
			return;
		}
		awaitTurn(Registration.of(reply.position(), asker, next, sentAt), asker, ending.woken() || reply.first(),
				recheckNanos, Long.MAX_VALUE);
	}

	/**
	 * Nobody here waits any more: leave the instances that wait, and wake those who are
	 * next.
	 * @return {@code false} if the answer under way must come first
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
