package io.lockstarter.engine.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockUpgradeException;
import io.lockstarter.engine.lease.Moment;
import org.jspecify.annotations.Nullable;

/**
 * Grants of tenures that this JVM has, without a request to the backend: re-entry of the
 * owner, entry of readers, and hand-over to the next waiter. Used under the monitor of
 * the {@link LocalLock}.
 */
final class LocalGrants {

	private static final List<Exclusivity> ANY_MODE = List.of(Exclusivity.values());

	private final LocalQueue queue;

	private final SharedTenures shares;

	private final BackendExchange exchange;

	private final MachineSettings settings;

	private final Effects effects;

	LocalGrants(LocalQueue queue, SharedTenures shares, BackendExchange exchange, MachineSettings settings,
			Effects effects) {
		this.queue = queue;
		this.shares = shares;
		this.exchange = exchange;
		this.settings = settings;
		this.effects = effects;
	}

	/** Returns the tenures of this JVM, the exclusive one first. */
	List<Tenure> tenures() {
		Tenure current = this.exchange.exclusive();
		List<Tenure> all = new ArrayList<>(this.shares.all());
		if (current != null) {
			all.add(0, current);
		}
		return all;
	}

	/** Returns the first holder in this JVM, or {@code null} if there is none. */
	@Nullable Holder holder(Moment now) {
		for (Tenure tenure : tenures()) {
			if (!tenure.isUnheld()) {
				Hold first = tenure.holds().all().get(0);
				return new Holder(this.settings.label(first.owner()), first.heldFor(now), first.remainingLease(now));
			}
		}
		return null;
	}

	/** Returns the tenure of a hold, or {@code null} if it has ended in this JVM. */
	@Nullable Tenure tenureOf(Hold hold) {
		Tenure current = this.exchange.exclusive();
		return (current != null && current.lease() == hold.lease()) ? current
				: this.shares.first((share) -> share.lease() == hold.lease());
	}

	/**
	 * Returns the hold of an owner with exactly the given exclusivity, or {@code null}.
	 */
	@Nullable Hold holdOf(LockOwner owner, Exclusivity mode) {
		Tenure current = this.exchange.exclusive();
		return switch (mode) {
			case EXCLUSIVE -> (current != null) ? current.holds().of(owner, false) : null;
			case PERMIT -> this.shares.of(owner, false);
			case READER -> {
				Hold besideWriting = (current != null) ? current.holds().of(owner, true) : null;
				yield (besideWriting != null) ? besideWriting : this.shares.of(owner, true);
			}
		};
	}

	/**
	 * Lets an owner re-enter a hold, or fails the request if the owner holds the lock in
	 * a shared mode that does not serve it.
	 * @return {@code false} if the owner does not hold the lock
	 */
	boolean reenter(Waiter waiter, Moment now) {
		Hold current = validHold(waiter, waiter.mode().servedBy(), now);
		if (current != null) {
			current.reenter();
			this.effects.add(new Effect.Grant(waiter, current, GrantKind.REENTERED));
			this.effects.add(new Effect.WriteCount(Objects.requireNonNull(tenureOf(current))));
			return true;
		}
		Hold other = validHold(waiter, ANY_MODE, now);
		if (other == null) {
			return false;
		}
		Exclusivity held = Exclusivity.of(other.request());
		if (waiter.isReader() && held == Exclusivity.EXCLUSIVE) {
			Hold begun = Objects.requireNonNull(tenureOf(other)).beginReading(waiter, other, now);
			this.effects.add(new Effect.Grant(waiter, begun, GrantKind.JOINED));
		}
		else {
			this.effects.add(new Effect.Fail(waiter, waiter.upgradeFailure(held)));
		}
		return true;
	}

	private @Nullable Hold validHold(Waiter waiter, List<Exclusivity> modes, Moment now) {
		for (Exclusivity mode : modes) {
			Hold found = holdOf(waiter.owner(), mode);
			if (found != null && found.isValid(now)) {
				return found;
			}
		}
		return null;
	}

	/**
	 * Begins a tenure that the backend has granted, with the request at the head of the
	 * queue.
	 * @param requester the request for which the tenure was granted, which may have been
	 * withdrawn
	 * @return {@code false} if no request in this JVM can use the tenure
	 */
	boolean begin(Tenure granted, Waiter requester, Moment now) {
		Waiter head = this.queue.head();
		if (head == null || !granted.canBeginWith(head, now) || passesOthers(granted, head, requester)) {
			return false;
		}
		if (granted.isShared()) {
			this.shares.add(granted);
		}
		else {
			this.exchange.hold(granted);
		}
		this.queue.remove(head, now);
		grant(granted, head, GrantKind.ACQUIRED, now);
		// A writer of another instance came after the readers that are waiting here now.
		Waiter next = this.queue.head();
		while (granted.mode() == Exclusivity.READER && next != null && granted.canTake(next, now)) {
			join(granted, next, now);
			next = this.queue.head();
		}
		// The caller is notified first, because it need not wait for the renewal to
		// start.
		this.effects.add(new Effect.StartRenewal(granted));
		return true;
	}

	/**
	 * Returns whether a fair request would get the turn of another one that was
	 * withdrawn, although requests of other instances may precede it.
	 */
	private static boolean passesOthers(Tenure granted, Waiter head, Waiter requester) {
		return head.isFair() && head != requester && granted.isContended();
	}

	/**
	 * Lets readers at the head of the queue join a tenure of this JVM. A reader whose
	 * acquire request is in flight waits for the reply, because the share that it would
	 * no longer need would outlast the releases of all readers.
	 */
	void admitReaders(Moment now) {
		Waiter head = this.queue.head();
		while (head != null && head.isReader() && !this.shares.isEmpty() && !this.exchange.isFor(head)) {
			Waiter reader = head;
			Tenure share = this.shares.first((each) -> mayGoTo(each, reader, now));
			if (share == null) {
				return;
			}
			join(share, reader, now);
			head = this.queue.head();
		}
	}

	private void join(Tenure share, Waiter reader, Moment now) {
		this.queue.remove(reader, now);
		grant(share, reader, GrantKind.JOINED, now);
	}

	/**
	 * Grants an unheld lock to a request that has just arrived, before the waiting ones.
	 * @return {@code false} if no lock is unheld, or it is the turn of another request
	 */
	boolean barge(Waiter waiter, Moment now) {
		// The lock is never unheld while a fair request is next, because it gets the lock
		// at once.
		boolean mayBarge = this.exchange.isUnheld() && waiter.mayBarge() && !this.queue.barging().isReached(now)
				&& mayHandOverTo(waiter, now);
		if (mayBarge) {
			this.queue.barging().barge();
			handOver(waiter, now);
		}
		return mayBarge;
	}

	/**
	 * Offers the unheld lock to the head of the queue.
	 * @return {@code false} if the lock cannot be handed over to it
	 */
	boolean offer(Moment now) {
		Waiter head = this.queue.head();
		if (head == null || !mayHandOverTo(head, now)) {
			return false;
		}
		if (this.queue.barging().isReached(now) || this.queue.anyoneTriesOnce() || !head.hasThread() || head.isFair()) {
			handOverToHead(now);
		}
		else if (this.queue.barging().beginSignal()) {
			this.effects.add(new Effect.Signal(head));
		}
		return true;
	}

	/** Returns whether the lock may stay in this JVM when it is released. */
	boolean mayHandOverToHead(Moment now) {
		Waiter head = this.queue.head();
		return head != null && mayHandOverTo(head, now);
	}

	/**
	 * Hands the lock over to the head of the queue, or returns {@code false} if that is
	 * not allowed.
	 */
	boolean handOverToHead(Moment now) {
		Waiter head = this.queue.head();
		if (head == null || !mayHandOverTo(head, now)) {
			return false;
		}
		this.queue.remove(head, now);
		handOver(head, now);
		return true;
	}

	/**
	 * Hands one of several permits over to the head of the queue, if another request
	 * follows that can use the permit which the backend may be granting to the head at
	 * this moment. Otherwise the backend would count one permit too many for a while.
	 * @return {@code false} if that is not allowed
	 */
	boolean handOverPermit(Tenure unheld, Moment now) {
		Waiter head = this.queue.head();
		if (head == null || this.settings.handoverLimit() == 0 || !isFollowedByAnother(head)
				|| !mayGoTo(unheld, head, now)) {
			return false;
		}
		this.queue.remove(head, now);
		unheld.handedOver();
		grant(unheld, head, GrantKind.HANDED_OVER, now);
		return true;
	}

	/**
	 * Returns whether another request continues to wait at the queue position of this
	 * JVM.
	 */
	private boolean isFollowedByAnother(Waiter head) {
		Waiter next = this.queue.second();
		return this.exchange.isWaiting() && next != null && next.waits() && next.hasOptionsLike(head) && !next.isFair();
	}

	private boolean mayHandOverTo(Waiter waiter, Moment now) {
		return this.settings.handoverLimit() > 0 && this.exchange.state() instanceof BackendState.Held held
				&& mayGoTo(held.tenure(), waiter, now);
	}

	/**
	 * Returns whether a request may get a tenure by hand-over or by joining it, without a
	 * request to the backend and without disadvantage to other waiting instances.
	 */
	private boolean mayGoTo(Tenure tenure, Waiter waiter, Moment now) {
		if (!tenure.canTake(waiter, now)) {
			return false;
		}
		if (!this.exchange.isSubscribed()) {
			// Other instances may wait unnoticed.
			tenure.contend(now);
		}
		HandoverLimit handovers = tenure.handovers();
		boolean atOnce = tenure.mode() == Exclusivity.READER || waiter.isFair();
		return handovers == null || (!atOnce && !handovers.isOver(now));
	}

	private void handOver(Waiter waiter, Moment now) {
		Tenure current = Objects.requireNonNull(this.exchange.exclusive());
		current.handedOver();
		grant(current, waiter, GrantKind.HANDED_OVER, now);
	}

	private void grant(Tenure tenure, Waiter waiter, GrantKind kind, Moment now) {
		Effect granted = new Effect.Grant(waiter, tenure.begin(waiter, now), kind);
		if (tenure.mode() == Exclusivity.PERMIT) {
			// The permit may be released at once. By then the next request here must have
			// been sent, or later requests of other instances would be served first.
			this.effects.addLast(granted);
		}
		else {
			this.effects.add(granted);
		}
		// The owner may have made several requests at once.
		for (Waiter again : this.queue.of(waiter.owner())) {
			if (reenter(again, now)) {
				this.queue.remove(again, now);
			}
		}
	}

}
