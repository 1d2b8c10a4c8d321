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
 * Gives what this JVM has of one lock to those who want it here: to its owner again, to
 * readers who join, to the next by hand-over. Used under the monitor of the
 * {@link LocalLock}.
 */
final class LocalGrants {

	private static final List<HoldMode> ANY_MODE = List.of(HoldMode.values());

	private final LocalQueue queue;

	private final LocalShares shares;

	private final Conversation conversation;

	private final MachineTerms terms;

	private final Effects effects;

	/** Whether this JVM hears of others who wait. */
	private boolean hears;

	LocalGrants(LocalQueue queue, LocalShares shares, Conversation conversation, MachineTerms terms, Effects effects) {
		this.queue = queue;
		this.shares = shares;
		this.conversation = conversation;
		this.terms = terms;
		this.effects = effects;
	}

	void hears(boolean others) {
		this.hears = others;
	}

	boolean hears() {
		return this.hears;
	}

	/** What this JVM has of the lock, the exclusive tenure first. */
	List<Tenure> tenures() {
		Tenure current = this.conversation.exclusive();
		List<Tenure> all = new ArrayList<>(this.shares.all());
		if (current != null) {
			all.add(0, current);
		}
		return all;
	}

	/** The first who holds the lock here, or {@code null} if nobody does. */
	@Nullable Holder holder(Moment now) {
		for (Tenure tenure : tenures()) {
			if (!tenure.isUnheld()) {
				Hold first = tenure.holds().all().get(0);
				return new Holder(this.terms.label(first.owner()), first.heldFor(now), first.remainingLease(now));
			}
		}
		return null;
	}

	/** The tenure of a hold, or {@code null} if it has ended here. */
	@Nullable Tenure tenureOf(Hold hold) {
		Tenure current = this.conversation.exclusive();
		return (current != null && current.lease() == hold.lease()) ? current
				: this.shares.first((share) -> share.lease() == hold.lease());
	}

	/** The hold of an owner that has a mode, and no other. */
	@Nullable Hold holdOf(LockOwner owner, HoldMode mode) {
		Tenure current = this.conversation.exclusive();
		return switch (mode) {
			case ALONE -> (current != null) ? current.holds().of(owner, false) : null;
			case PERMIT -> this.shares.of(owner, false);
			case READER -> {
				Hold besideWriting = (current != null) ? current.holds().of(owner, true) : null;
				yield (besideWriting != null) ? besideWriting : this.shares.of(owner, true);
			}
		};
	}

	/**
	 * Let an owner who has the lock already take it again, or refuse that to one who has
	 * it beside others and wants more.
	 * @return {@code false} if the owner does not have the lock
	 */
	boolean takeAgain(Waiter waiter, Moment now) {
		Hold current = validHold(waiter, waiter.mode().servedBy(), now);
		if (current != null) {
			current.reenter();
			this.effects.add(new Effect.Grant(waiter, current, Entry.REENTERED));
			this.effects.add(new Effect.WriteCount(Objects.requireNonNull(tenureOf(current))));
			return true;
		}
		Hold other = validHold(waiter, ANY_MODE, now);
		if (other == null) {
			return false;
		}
		HoldMode held = HoldMode.of(other.request());
		if (waiter.isReader() && held == HoldMode.ALONE) {
			Hold begun = Objects.requireNonNull(tenureOf(other)).beginReading(waiter, other, now);
			this.effects.add(new Effect.Grant(waiter, begun, Entry.JOINED));
		}
		else {
			this.effects.add(new Effect.Fail(waiter, waiter.upgradeFailure(held)));
		}
		return true;
	}

	private @Nullable Hold validHold(Waiter waiter, List<HoldMode> modes, Moment now) {
		for (HoldMode mode : modes) {
			Hold found = holdOf(waiter.owner(), mode);
			if (found != null && found.isValid(now)) {
				return found;
			}
		}
		return null;
	}

	/**
	 * Begin a tenure that the backend has granted: whoever heads the queue gets it.
	 * @param asker the request for which it was granted, which may have gone
	 * @return {@code false} if nobody here can use it any more
	 */
	boolean begin(Tenure granted, Waiter asker, Moment now) {
		Waiter head = this.queue.head();
		if (head == null || !granted.canBeginWith(head, now) || overtakesOthers(granted, head, asker)) {
			return false;
		}
		if (granted.isShared()) {
			this.shares.add(granted);
		}
		else {
			this.conversation.hold(granted);
		}
		this.queue.remove(head, now);
		grant(granted, head, Entry.ACQUIRED, now);
		// A writer who waits elsewhere came after the readers that wait here by now.
		Waiter next = this.queue.head();
		while (granted.mode() == HoldMode.READER && next != null && granted.canTake(next, now)) {
			join(granted, next, now);
			next = this.queue.head();
		}
		// After the caller is told, who need not wait for it.
		this.effects.add(new Effect.StartRenewal(granted));
		return true;
	}

	/**
	 * Returns whether a fair request would get the turn of another that has gone, while
	 * requests of other instances may have come before it.
	 */
	private static boolean overtakesOthers(Tenure granted, Waiter head, Waiter asker) {
		return head.isFair() && head != asker && granted.budget() != null;
	}

	/**
	 * Let readers at the head of the queue join those who have the lock already. A reader
	 * for whom the backend was asked waits for the answer: a share that it did not need
	 * would outlast the releases of all readers.
	 */
	void admitReaders(Moment now) {
		Waiter head = this.queue.head();
		while (head != null && head.isReader() && !this.shares.isEmpty() && !this.conversation.isFor(head)) {
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
		grant(share, reader, Entry.JOINED, now);
	}

	/**
	 * Give the lock that is on offer to a request that has just come, before those who
	 * wait.
	 * @return {@code false} if there is no such lock, or it is the turn of another
	 */
	boolean overtake(Waiter waiter, Moment now) {
		// It is never on offer to a fair request, which gets it at once.
		boolean mayOvertake = this.conversation.isOnOffer() && waiter.mayOvertake()
				&& !this.queue.overtaking().isReached(now) && mayHandOverTo(waiter, now);
		if (mayOvertake) {
			this.queue.overtaking().overtake();
			handOver(waiter, now);
		}
		return mayOvertake;
	}

	/**
	 * Offer the lock that nobody here holds to the head of the queue.
	 * @return {@code false} if there is nobody here whom it may be handed to
	 */
	boolean offer(Moment now) {
		Waiter head = this.queue.head();
		if (head == null || !mayHandOverTo(head, now)) {
			return false;
		}
		if (this.queue.overtaking().isReached(now) || this.queue.anyoneTriesOnce() || !head.hasThread()
				|| head.isFair()) {
			handOverToHead(now);
		}
		else if (this.queue.overtaking().beginSignal()) {
			this.effects.add(new Effect.Signal(head));
		}
		return true;
	}

	/** Whether the lock may stay in this JVM when it is released. */
	boolean mayHandOverToHead(Moment now) {
		Waiter head = this.queue.head();
		return head != null && mayHandOverTo(head, now);
	}

	/** Hand the lock over to the head of the queue; {@code false} if that may not be. */
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
	 * Hand one of several permits over to the head of the queue, if there is another
	 * request for the permit that the backend may be granting to the head at this moment.
	 * Otherwise the backend would count one permit too many for a while.
	 * @return {@code false} if that may not be
	 */
	boolean handOverPermit(Tenure unheld, Moment now) {
		Waiter head = this.queue.head();
		if (head == null || this.terms.handoverLimit() == 0 || !isFollowedByAnother(head)
				|| !mayGoTo(unheld, head, now)) {
			return false;
		}
		this.queue.remove(head, now);
		unheld.handedOver();
		grant(unheld, head, Entry.HANDED_OVER, now);
		return true;
	}

	/** Whether another request goes on waiting with what this JVM is registered with. */
	private boolean isFollowedByAnother(Waiter head) {
		Waiter next = this.queue.second();
		return this.conversation.isWaiting() && next != null && next.waits() && next.hasTermsLike(head)
				&& !next.isFair();
	}

	private boolean mayHandOverTo(Waiter waiter, Moment now) {
		return this.terms.handoverLimit() > 0 && this.conversation.state() instanceof RemoteState.Held held
				&& mayGoTo(held.tenure(), waiter, now);
	}

	/**
	 * Whether the hold of a request may follow, or join, without asking the backend and
	 * without wrong to those who wait elsewhere.
	 */
	private boolean mayGoTo(Tenure tenure, Waiter waiter, Moment now) {
		if (!tenure.canTake(waiter, now)) {
			return false;
		}
		if (!this.hears) {
			// Others may wait without being heard.
			tenure.contend(now);
		}
		ContentionBudget budget = tenure.budget();
		boolean atOnce = tenure.mode() == HoldMode.READER || waiter.isFair();
		return budget == null || (!atOnce && !budget.isOver(now));
	}

	private void handOver(Waiter waiter, Moment now) {
		Tenure current = Objects.requireNonNull(this.conversation.exclusive());
		current.handedOver();
		grant(current, waiter, Entry.HANDED_OVER, now);
	}

	private void grant(Tenure tenure, Waiter waiter, Entry entry, Moment now) {
		Effect granted = new Effect.Grant(waiter, tenure.begin(waiter, now), entry);
		if (tenure.mode() == HoldMode.PERMIT) {
			// It may be released at once. The next one here must have asked by then, or
			// others that came later would be served first.
			this.effects.addLast(granted);
		}
		else {
			this.effects.add(granted);
		}
		// If the owner has asked several times at once.
		for (Waiter again : this.queue.of(waiter.owner())) {
			if (takeAgain(again, now)) {
				this.queue.remove(again, now);
			}
		}
	}

}
