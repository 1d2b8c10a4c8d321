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
import io.lockstarter.engine.lock.BackendState.Requesting;
import org.jspecify.annotations.Nullable;

/**
 * State machine of one name in this JVM.
 * <p>
 * Each method with a {@link Moment} parameter is an event. An event records a fact, and
 * {@link #decide} decides what follows: who gets the lock, and which commands are sent to
 * the backend. {@link #takeEffects()} returns these decisions. The machine and its parts
 * access no clock, thread, backend or listener: the same events have the same effects.
 * Used under the monitor of the {@link LocalLock}.
 */
final class LockMachine {

	private final @Nullable LocalLock lock;

	private final MachineSettings settings;

	private final LocalQueue queue = new LocalQueue();

	private final SharedTenures shares = new SharedTenures();

	private final Effects effects = new Effects();

	private final BackendExchange exchange;

	private final LocalGrants grants;

	private final RequestFailures failures;

	private final TenureEndings endings;

	private boolean retired;

	/**
	 * Creates an idle machine.
	 * @param lock the lock in which requests wait, and that releases holds
	 * @param tenureIds supplies ids of tenures, none of which is used twice
	 */
	LockMachine(@Nullable LocalLock lock, MachineSettings settings, Supplier<TenureId> tenureIds) {
		this.lock = lock;
		this.settings = settings;
		this.exchange = new BackendExchange(this.queue, settings, tenureIds, this.effects);
		this.grants = new LocalGrants(this.queue, this.shares, this.exchange, settings, this.effects);
		this.failures = new RequestFailures(this.queue, this.grants, this.exchange, this.effects);
		this.endings = new TenureEndings(this.shares, this.exchange, this.grants, this.failures, this.effects);
	}

	/** Returns whether this JVM has the lock exclusively. */
	boolean holdsExclusively() {
		return this.exchange.exclusive() != null;
	}

	/** Returns and removes the decided effects, in order. */
	List<Effect> takeEffects() {
		return this.effects.take();
	}

	/**
	 * Handles a new request.
	 * @param objection the reason why the request can be granted only by re-entry, or
	 * {@code null}
	 * @return {@code false} if this machine has retired, and a new one is needed
	 */
	boolean request(Waiter waiter, @Nullable LockException objection, Moment now) {
		if (this.retired) {
			return false;
		}
		waiter.joined(this.lock, this.failures.repliesBeforeNext());
		if (this.grants.reenter(waiter, now)) {
			return true;
		}
		if (objection != null) {
			this.effects.add(new Effect.Fail(waiter, objection));
		}
		else if (!this.grants.barge(waiter, now)) {
			if (this.queue.isStanding() || this.exchange.exclusive() != null) {
				waiter.queued();
			}
			this.queue.add(waiter, now);
		}
		decide(now);
		return true;
	}

	/**
	 * Withdraws a request.
	 * @return {@code false} if the request has already completed
	 */
	boolean withdraw(Waiter waiter, Moment now) {
		if (!this.queue.remove(waiter, now)) {
			return false;
		}
		waiter.sawHolder(this.failures.holder(waiter, now));
		decide(now);
		return true;
	}

	/** Ends the wait of a request, which still waits for its first reply. */
	void expire(Waiter waiter, Moment now) {
		if (!this.queue.contains(waiter) || !waiter.waits()) {
			return;
		}
		if (this.failures.isFirstReplyInFlight(waiter, now)) {
			this.queue.becomeLastTry(waiter);
			return;
		}
		boolean isNext = this.exchange.isUnheld() && this.queue.head() == waiter;
		if (!isNext || !this.grants.handOverToHead(now)) {
			this.queue.remove(waiter, now);
			this.failures.refuse(waiter, now);
		}
		decide(now);
	}

	/**
	 * Grants an unheld lock to a waiter that was signalled.
	 * @return the time until the next check without a signal, in nanoseconds
	 */
	long takeOffer(Waiter waiter, Moment now) {
		Tenure offered = this.exchange.exclusive();
		if (this.queue.head() != waiter || offered == null) {
			return Long.MAX_VALUE;
		}
		long nap = this.queue.barging().check(this.exchange.isUnheld(), now);
		if (nap > 0) {
			return nap;
		}
		if (!this.grants.handOverToHead(now)) {
			// The check must not be repeated: if a renewal completed between two checks,
			// the lock would be left unheld.
			this.endings.releaseUnheld(offered, null, now);
		}
		decide(now);
		return Long.MAX_VALUE;
	}

	/**
	 * Releases one entry of a hold.
	 * @param reentry the re-entry condition of the entry if it is detached from its
	 * thread
	 * @throws io.lockstarter.core.LockNotHeldException if the hold was already released
	 */
	UnlockResult unlock(Hold hold, @Nullable BooleanSupplier reentry, Moment now) {
		UnlockResult outcome = this.endings.unlock(hold, reentry, now);
		decide(now);
		return outcome;
	}

	/** Repeats the downgrade of a writer who continues as a reader. */
	void downgradeAgain(Tenure written, Moment now) {
		this.endings.downgradeAgain(written, now);
	}

	/**
	 * Handles the reply to an acquire request.
	 * @param sentAt the moment before the request was sent
	 */
	void replied(Effect.SendAcquire request, LockBackend.AcquireReply reply, Moment sentAt, Moment now) {
		Requesting ended = this.exchange.endRequest();
		this.failures.replied();
		this.failures.endOutage();
		Acquire command = request.command();
		if (reply instanceof LockBackend.Granted granted) {
			begin(command, request.requester(), granted.base(), Lease.of(sentAt, command.lease()), granted.contended(),
					now);
		}
		else if (reply instanceof LockBackend.Refused refused) {
			this.failures.refused(ended, refused, sentAt, now);
		}
		else {
			// The tenure was ended before it began, so the request is repeated with
			// another one.
			QueuePosition before = ended.position();
			this.exchange.requestAgainWith((before != null) ? before.withoutTenure() : null);
		}
		decide(now);
		this.effects.addPostponed();
	}

	private void begin(Acquire command, Waiter requester, long base, Lease lease, boolean contended, Moment now) {
		Tenure granted = new Tenure(this.lock, command, requester, base, lease, this.settings);
		this.exchange.granted(granted, contended, now);
		this.queue.stand();
		if (!this.grants.begin(granted, requester, now)) {
			this.endings.releaseUnheld(granted, null, now);
		}
	}

	/**
	 * Handles the failure of an acquire request.
	 * @param sent whether the request was sent
	 */
	void failed(boolean sent, LockBackendException cause, Moment now) {
		Requesting ended = this.exchange.endRequest();
		this.failures.replied();
		this.failures.failed(ended, sent, cause, now);
		decide(now);
		this.effects.addPostponed();
	}

	/**
	 * Handles the reply to a release, or its failure.
	 * @param sentAt the moment before the release was sent
	 */
	void released(Effect.SendRelease release, Release.@Nullable Reply reply, @Nullable LockBackendException failure,
			Moment sentAt, Moment now) {
		this.endings.released(release, reply, failure, sentAt, now);
		decide(now);
	}

	/** Handles a grant by message to a tenure that waited for it. */
	void granted(LockBackend.DirectGrant offer, Moment now) {
		TenureId tenure = offer.tenure();
		QueuePosition position = this.exchange.waitsWith(tenure);
		if (position != null) {
			take(position, offer, now);
		}
		else if (this.exchange.isUnderWay(tenure)) {
			// The message arrived before the reply. The reply either grants the tenure as
			// well, or makes this JVM wait; then the request is repeated.
			this.exchange.wake();
		}
		else if (tenures().stream().noneMatch((held) -> held.id().equals(tenure))) {
			// The message is late, because the tenure was released or is being released.
			this.effects.add(new Effect.Leave(tenure, false));
		}
	}

	private void take(QueuePosition position, LockBackend.DirectGrant offer, Moment now) {
		Lease lease = position.leaseOf(offer, now);
		Waiter head = this.queue.head();
		if (lease == null || this.failures.isOutage() || (head != null && position.isBefore(head))) {
			woken(now);
			return;
		}
		this.exchange.stopWaiting();
		this.failures.replied();
		this.failures.endOutage();
		begin(Objects.requireNonNull(position.command()), position.requester(), offer.base(), lease, offer.contended(),
				now);
		decide(now);
	}

	/** Handles a wake-up, after which the lock may be free. */
	void woken(Moment now) {
		this.exchange.wake();
		decide(now);
	}

	/**
	 * Handles the removal of this JVM from the waiters by a command, after which waiting
	 * requests must be sent again.
	 */
	void withdrawn(Moment now) {
		if (!this.failures.isOutage() || !this.exchange.isWaiting()) {
			woken(now);
		}
	}

	/** Repeats the acquire request without a wake-up. */
	void recheck(Moment now) {
		if (this.exchange.isWaiting()) {
			woken(now);
		}
	}

	/** Records that another instance waits for the lock. */
	void contended(Moment now) {
		this.exchange.contended();
		tenures().forEach((tenure) -> tenure.contend(now));
	}

	/**
	 * Returns whether the next event depends on the subscription to messages from waiting
	 * instances.
	 * @param entering the request that arrives, or {@code null}
	 */
	boolean needsSubscription(@Nullable Waiter entering) {
		return (this.exchange.exclusive() != null || !this.shares.haveEnded())
				&& (!this.queue.isEmpty() || (entering != null && entering.isReader()));
	}

	/** Sets whether this JVM is notified when other instances wait. */
	void subscribed(boolean subscribed) {
		this.exchange.subscribed(subscribed);
	}

	/** Handles the end of a tenure that was not released by its owner. */
	void ended(Tenure tenure, LockLoss.Reason reason, Moment now) {
		this.endings.lose(tenure, reason, now);
		decide(now);
	}

	/**
	 * Handles the end of a single hold, while its tenure may continue for other holds.
	 */
	void ended(Hold hold, LockLoss.Reason reason, Moment now) {
		this.endings.loseHold(hold, reason, now);
		decide(now);
	}

	/** Handles the passing of time. */
	void tick(Moment now) {
		decide(now);
	}

	/** Refuses requests, because the registry grants no more locks or soon will not. */
	void close(Predicate<Waiter> meant, Moment now) {
		this.failures.close(meant, now);
		decide(now);
	}

	/** Decides what follows from the recorded facts. */
	private void decide(Moment now) {
		this.endings.loseExpired(now);
		Tenure current = this.exchange.exclusive();
		if (current != null && current.isUnheld() && !this.grants.offer(now)) {
			this.endings.releaseUnheld(current, null, now);
		}
		this.grants.admitReaders(now);
		Waiter head = this.queue.head();
		if (this.exchange.exclusive() != null) {
			boolean readersSoon = this.exchange.isDowngrading();
			this.failures.refuseThoseWhoTryOnce((waiter) -> !(readersSoon && waiter.isShared()), now);
		}
		else if (head != null) {
			this.exchange.acquireIfDue(head, now);
		}
		else {
			leave();
		}
	}

	/**
	 * Leaves the backend, because no request waits and this JVM has no exclusive tenure.
	 */
	private void leave() {
		boolean left = this.exchange.leave();
		if (this.exchange.state() instanceof BackendState.Idle) {
			this.failures.endOutage();
		}
		if (left && !this.retired && this.shares.haveEnded()) {
			this.retired = true;
			this.effects.add(new Effect.Retire());
		}
	}

	/**
	 * Returns the hold of an owner with exactly the given exclusivity, or {@code null}.
	 */
	@Nullable Hold holdOf(LockOwner owner, Exclusivity mode) {
		return this.grants.holdOf(owner, mode);
	}

	/** Returns the tenure of a hold, or {@code null} if it has ended in this JVM. */
	@Nullable Tenure tenureOf(Hold hold) {
		return this.grants.tenureOf(hold);
	}

	/** Returns all holds in this JVM, the exclusive one first. */
	List<Hold> holds() {
		return tenures().stream().flatMap((tenure) -> tenure.holds().all().stream()).toList();
	}

	/** Returns the tenures of this JVM, the exclusive one first. */
	List<Tenure> tenures() {
		return this.grants.tenures();
	}

	/** Returns the state of the exchange with the backend. */
	BackendState remote() {
		return this.exchange.state();
	}

	/** Returns the waiting requests, in order. */
	List<Waiter> waiters() {
		return this.queue.all();
	}

	int waiting() {
		return this.queue.size();
	}

}
