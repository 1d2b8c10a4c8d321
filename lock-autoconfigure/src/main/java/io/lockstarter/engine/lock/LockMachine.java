package io.lockstarter.engine.lock;

import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockException;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.engine.lease.Lease;
import io.lockstarter.engine.lease.Moment;
import io.lockstarter.engine.lock.RemoteState.Asking;
import org.jspecify.annotations.Nullable;

/**
 * Decides what happens to one name in this JVM.
 * <p>
 * Each method that gets a moment is an event. An event records a fact, and
 * {@link #settle} draws the conclusions: who gets the lock, and what is asked of the
 * backend. What is to be done is returned by {@link #takeEffects()}. The machine and its
 * parts reach no clock, thread, backend or listener: the same events have the same
 * effects. Used under the monitor of the {@link LocalLock}.
 */
final class LockMachine {

	private final @Nullable LocalLock lock;

	private final MachineTerms terms;

	private final LocalQueue queue = new LocalQueue();

	private final LocalShares shares = new LocalShares();

	private final Effects effects = new Effects();

	private final Conversation conversation;

	private final LocalGrants grants;

	private final Refusals refusals;

	private final Endings endings;

	private boolean retired;

	/**
	 * Begin without anything.
	 * @param lock where its requests wait, and its holds are released
	 * @param tenureIds names tenures, each by an id that is never used again
	 */
	LockMachine(@Nullable LocalLock lock, MachineTerms terms, Supplier<TenureId> tenureIds) {
		this.lock = lock;
		this.terms = terms;
		this.conversation = new Conversation(this.queue, terms, tenureIds, this.effects);
		this.grants = new LocalGrants(this.queue, this.shares, this.conversation, terms, this.effects);
		this.refusals = new Refusals(this.queue, this.grants, this.conversation, this.effects);
		this.endings = new Endings(this.shares, this.conversation, this.grants, this.refusals, this.effects);
	}

	/** Whether this JVM has the lock, and no other. */
	boolean hasItAlone() {
		return this.conversation.exclusive() != null;
	}

	/** Return what is to be done, in this order, and forget it. */
	List<Effect> takeEffects() {
		return this.effects.take();
	}

	/**
	 * A request comes.
	 * @param objection why it cannot be served unless its owner has the lock already;
	 * {@code null} if it can
	 * @return {@code false} if this machine has retired, and a new one is needed
	 */
	boolean request(Waiter waiter, @Nullable LockException objection, Moment now) {
		if (this.retired) {
			return false;
		}
		waiter.joined(this.lock, this.refusals.answersBeforeNext());
		if (this.grants.takeAgain(waiter, now)) {
			return true;
		}
		if (objection != null) {
			this.effects.add(new Effect.Fail(waiter, objection));
		}
		else if (!this.grants.overtake(waiter, now)) {
			if (this.queue.isStanding() || this.conversation.exclusive() != null) {
				waiter.queued();
			}
			this.queue.add(waiter, now);
		}
		settle(now);
		return true;
	}

	/**
	 * A request is withdrawn.
	 * @return {@code false} if it has been settled already
	 */
	boolean withdraw(Waiter waiter, Moment now) {
		if (!this.queue.remove(waiter, now)) {
			return false;
		}
		waiter.sawHolder(this.refusals.holder(waiter, now));
		settle(now);
		return true;
	}

	/** The wait of a request is over. Even so it waits for its first answer. */
	void expire(Waiter waiter, Moment now) {
		if (!this.queue.contains(waiter) || !waiter.waits()) {
			return;
		}
		if (this.refusals.isFirstAnswerUnderWay(waiter, now)) {
			this.queue.becomeLastTry(waiter);
			return;
		}
		boolean isNext = this.conversation.isOnOffer() && this.queue.head() == waiter;
		if (!isNext || !this.grants.handOverToHead(now)) {
			this.queue.remove(waiter, now);
			this.refusals.refuse(waiter, now);
		}
		settle(now);
	}

	/**
	 * A waiter that was signalled takes the lock that is on offer.
	 * @return after how many nanoseconds to look again if no signal comes
	 */
	long takeOffer(Waiter waiter, Moment now) {
		Tenure offered = this.conversation.exclusive();
		if (this.queue.head() != waiter || offered == null) {
			return Long.MAX_VALUE;
		}
		long nap = this.queue.overtaking().look(this.conversation.isOnOffer(), now);
		if (nap > 0) {
			return nap;
		}
		if (!this.grants.handOverToHead(now)) {
			// Decided once: if its lease is renewed at this moment, nobody takes it.
			this.endings.giveBack(offered, null, now);
		}
		settle(now);
		return Long.MAX_VALUE;
	}

	/**
	 * One entry of a hold is released.
	 * @param outlived what the entry was told if it outlives its thread
	 * @throws io.lockstarter.core.LockNotHeldException if the hold was released before
	 */
	Unlocked unlock(Hold hold, @Nullable BooleanSupplier outlived, Moment now) {
		Unlocked outcome = this.endings.unlock(hold, outlived, now);
		settle(now);
		return outcome;
	}

	/** It is time to ask again to let others in beside the one who wrote. */
	void downgradeAgain(Tenure written, Moment now) {
		this.endings.downgradeAgain(written, now);
	}

	/**
	 * The answer to a question.
	 * @param sentAt the moment before it was sent
	 */
	void answered(Effect.SendAcquire question, LockBackend.AcquireReply answer, Moment sentAt, Moment now) {
		Asking asked = this.conversation.endQuestion();
		this.refusals.answered();
		this.refusals.endOutage();
		Acquire command = question.command();
		if (answer instanceof LockBackend.Granted granted) {
			begin(command, question.asker(), granted.base(), Lease.of(sentAt, command.lease()), granted.contended(),
					now);
		}
		else if (answer instanceof LockBackend.Refused refused) {
			this.refusals.refused(asked, refused, sentAt, now);
		}
		else {
			// The tenure has ended before it began: another is asked for.
			Registration before = asked.registration();
			this.conversation.askAgainWith((before != null) ? before.withoutTenure() : null);
		}
		settle(now);
		this.conversation.tellPostponed();
	}

	private void begin(Acquire command, Waiter asker, long base, Lease lease, boolean contended, Moment now) {
		Tenure granted = new Tenure(this.lock, command, base, asker.isRenewed(), lease, this.terms);
		this.conversation.granted(granted, contended, now);
		this.queue.stand();
		if (!this.grants.begin(granted, asker, now)) {
			this.endings.giveBack(granted, null, now);
		}
	}

	/**
	 * A question has failed.
	 * @param sent whether it was sent at all
	 */
	void failed(boolean sent, LockBackendException cause, Moment now) {
		Asking asked = this.conversation.endQuestion();
		this.refusals.answered();
		this.refusals.failed(asked, sent, cause, now);
		settle(now);
		this.conversation.tellPostponed();
	}

	/**
	 * The answer to a release, or its failure.
	 * @param sentAt the moment before it was sent
	 */
	void released(Effect.SendRelease release, Release.@Nullable Reply reply, @Nullable LockBackendException failure,
			Moment sentAt, Moment now) {
		this.endings.released(release, reply, failure, sentAt, now);
		settle(now);
	}

	/** The lock was granted by a message to a tenure that waited for it. */
	void granted(LockBackend.DirectGrant offer, Moment now) {
		TenureId tenure = offer.tenure();
		Registration registration = this.conversation.waitsWith(tenure);
		if (registration != null) {
			take(registration, offer, now);
		}
		else if (this.conversation.isUnderWay(tenure)) {
			// Quicker than the answer, which grants it too or makes this JVM wait: then
			// it is asked for after that.
			this.conversation.wake();
		}
		else if (tenures().stream().noneMatch((held) -> held.id().equals(tenure))) {
			// It was given up, or is just being released: the message is late.
			this.effects.add(new Effect.Leave(tenure, false));
		}
	}

	private void take(Registration registration, LockBackend.DirectGrant offer, Moment now) {
		Lease lease = registration.leaseOf(offer, now);
		Waiter head = this.queue.head();
		if (lease == null || this.refusals.isOutage() || (head != null && registration.isBefore(head))) {
			woken(now);
			return;
		}
		this.conversation.endWaiting();
		this.refusals.answered();
		this.refusals.endOutage();
		begin(Objects.requireNonNull(registration.command()), registration.placed(), offer.base(), lease,
				offer.contended(), now);
		settle(now);
	}

	/** The lock may be free. */
	void woken(Moment now) {
		this.conversation.wake();
		settle(now);
	}

	/**
	 * A command has taken this JVM out of those that wait: whoever waits here must be
	 * asked for again.
	 */
	void withdrawn(Moment now) {
		if (!this.refusals.isOutage() || !this.conversation.isWaiting()) {
			woken(now);
		}
	}

	/** It is time to ask again although no wake-up has come. */
	void recheck(Moment now) {
		if (this.conversation.isWaiting()) {
			woken(now);
		}
	}

	/** Another instance waits for the lock. */
	void contended(Moment now) {
		this.conversation.contended();
		tenures().forEach((tenure) -> tenure.contend(now));
	}

	/**
	 * Whether the next event needs to know if others can be heard who wait.
	 * @param entering the request that comes, or {@code null}
	 */
	boolean asksForHearing(@Nullable Waiter entering) {
		return (this.conversation.exclusive() != null || !this.shares.haveEnded())
				&& (!this.queue.isEmpty() || (entering != null && entering.isReader()));
	}

	/** This JVM hears of others who wait, or it does not. */
	void hears(boolean others) {
		this.grants.hears(others);
	}

	/** A tenure has ended by itself, or was found to have ended. */
	void ended(Tenure tenure, LockLoss.Reason reason, Moment now) {
		this.endings.lose(tenure, reason, now);
		settle(now);
	}

	/** A single hold ends, while its tenure may go on for others. */
	void ended(Hold hold, LockLoss.Reason reason, Moment now) {
		this.endings.end(hold, reason, now);
		settle(now);
	}

	/** Time has passed. */
	void tick(Moment now) {
		settle(now);
	}

	/** Refuses requests, because no more locks are granted, or soon none will be. */
	void close(Predicate<Waiter> meant, Moment now) {
		this.refusals.close(meant, now);
		settle(now);
	}

	/** Draw the conclusions from what is known. */
	private void settle(Moment now) {
		this.endings.loseExpired(now);
		Tenure current = this.conversation.exclusive();
		if (current != null && current.isUnheld() && !this.grants.offer(now)) {
			this.endings.giveBack(current, null, now);
		}
		this.grants.admitReaders(now);
		Waiter head = this.queue.head();
		if (this.conversation.exclusive() != null) {
			boolean readersSoon = this.conversation.isDowngrading();
			this.refusals.refuseThoseWhoTryOnce((waiter) -> !(readersSoon && waiter.isShared()), now);
		}
		else if (head != null) {
			this.conversation.askIfDue(head, now);
		}
		else {
			leave();
		}
	}

	/** Nobody here waits any more, and nobody excludes all others. */
	private void leave() {
		boolean left = this.conversation.leave();
		if (this.conversation.state() instanceof RemoteState.Idle) {
			this.refusals.endOutage();
		}
		if (left && !this.retired && this.shares.haveEnded()) {
			this.retired = true;
			this.effects.add(new Effect.Retire());
		}
	}

	/** The hold of an owner that has a mode, and no other. */
	@Nullable Hold holdOf(LockOwner owner, HoldMode mode) {
		return this.grants.holdOf(owner, mode);
	}

	/** The tenure of a hold, or {@code null} if it has ended here. */
	@Nullable Tenure tenureOf(Hold hold) {
		return this.grants.tenureOf(hold);
	}

	/** All holds here, the exclusive one first. */
	List<Hold> holds() {
		return tenures().stream().flatMap((tenure) -> tenure.holds().all().stream()).toList();
	}

	/** What this JVM has of the lock, the exclusive tenure first. */
	List<Tenure> tenures() {
		return this.grants.tenures();
	}

	/** How this JVM stands with the backend. */
	RemoteState remote() {
		return this.conversation.state();
	}

	/** Those who wait here, in order. */
	List<Waiter> waiters() {
		return this.queue.all();
	}

	int waiting() {
		return this.queue.size();
	}

}
