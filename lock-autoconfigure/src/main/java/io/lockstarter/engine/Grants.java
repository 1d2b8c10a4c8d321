package io.lockstarter.engine;

import java.util.Objects;

import io.lockstarter.core.LockUpgradeException;
import org.jspecify.annotations.Nullable;

/**
 * Gives what this JVM has of one lock to those who wait for it here. Used under the
 * monitor of the {@link LocalLock}.
 */
final class Grants {

	private final WaitQueue queue;

	private final Possession possession;

	Grants(WaitQueue queue, Possession possession) {
		this.queue = queue;
		this.possession = possession;
	}

	/**
	 * Let an owner who has the lock already take it again, or refuse that to one who
	 * reads and wants to write.
	 * @return {@code false} if the owner does not have the lock
	 */
	boolean repeat(Waiter waiter, Effects effects) {
		Hold current = hold(waiter, waiter.isShared(), effects);
		if (current != null) {
			current.reenter();
			current.tenure().countWriter().countChanged();
			effects.add(() -> waiter.granted(new Handle(current, Handle.Entry.REENTERED)));
			return true;
		}
		Hold other = hold(waiter, !waiter.isShared(), effects);
		if (other == null) {
			return false;
		}
		if (waiter.isShared()) {
			Hold begun = other.tenure().beginReading(waiter, other, effects.now());
			effects.add(() -> waiter.granted(new Handle(begun, Handle.Entry.JOINED)));
		}
		else {
			effects.add(() -> waiter.failed(new LockUpgradeException(waiter.request().name(), waiter.owner())));
		}
		return true;
	}

	private @Nullable Hold hold(Waiter waiter, boolean reads, Effects effects) {
		Hold found = this.possession.find(waiter.owner(), reads);
		return (found != null && found.isValid(effects.now())) ? found : null;
	}

	/**
	 * Begin a tenure that the backend has granted: whoever heads the queue gets it.
	 * @return {@code false} if nobody here can use it any more
	 */
	boolean begin(Tenure granted, Effects effects) {
		Waiter head = this.queue.head();
		if (head == null || !granted.isFresh(effects.now()) || !head.canUse(granted)) {
			return false;
		}
		this.queue.remove(head);
		this.possession.add(granted);
		grant(granted, head, Handle.Entry.ACQUIRED, effects);
		if (granted.isShared()) {
			admitAll(granted, effects);
		}
		// After the caller was told, who need not wait for it.
		effects.add(granted.watch()::schedule);
		return true;
	}

	/** A writer who waits elsewhere came after the readers that wait here by now. */
	private void admitAll(Tenure share, Effects effects) {
		Waiter head = this.queue.head();
		while (head != null && share.canTake(head, effects.now())) {
			join(share, head, effects);
			head = this.queue.head();
		}
	}

	/** Let readers at the head of the queue join those who have the lock already. */
	void admitReaders(Effects effects) {
		Waiter head = this.queue.head();
		Tenure share = joinable(head, effects);
		while (head != null && share != null) {
			join(share, head, effects);
			head = this.queue.head();
			share = joinable(head, effects);
		}
	}

	private @Nullable Tenure joinable(@Nullable Waiter head, Effects effects) {
		return (head != null && head.isShared()) ? this.possession.joinable(head, effects.now()) : null;
	}

	private void join(Tenure share, Waiter reader, Effects effects) {
		this.queue.remove(reader);
		grant(share, reader, Handle.Entry.JOINED, effects);
	}

	/**
	 * Give the lock that nobody in this JVM holds to one who has just come, before those
	 * who wait.
	 * @return {@code false} if there is no such lock, or it is not his turn
	 */
	boolean overtake(Waiter waiter, Effects effects) {
		if (!mayOvertake(waiter, effects)) {
			return false;
		}
		this.queue.turn().overtake();
		handOver(waiter, effects);
		return true;
	}

	private boolean mayOvertake(Waiter waiter, Effects effects) {
		Waiter head = this.queue.head();
		return this.possession.isOffered() && waiter.mayOvertake() && (head == null || !head.isFair())
				&& !this.queue.turn().isOver(effects.now()) && canBeHandedTo(waiter, effects);
	}

	/**
	 * Offer the lock that nobody in this JVM holds to the head of the queue.
	 * @return {@code false} if there is nobody here whom it may be handed to
	 */
	boolean offer(Effects effects) {
		Waiter head = this.queue.head();
		if (head == null || !canBeHandedTo(head, effects)) {
			return false;
		}
		Turn turn = this.queue.turn();
		if (turn.isOver(effects.now()) || this.queue.hasImpatient() || !head.canClaim() || head.isFair()) {
			handOverToHead(head, effects);
		}
		else if (turn.call()) {
			effects.add(head::call);
		}
		return true;
	}

	/**
	 * Hand the lock that nobody in this JVM holds to the head of the queue.
	 * @return {@code false} if it may not be handed to it
	 */
	boolean handOver(Effects effects) {
		Waiter head = this.queue.head();
		if (head == null || !canBeHandedTo(head, effects)) {
			return false;
		}
		handOverToHead(head, effects);
		return true;
	}

	private boolean canBeHandedTo(Waiter waiter, Effects effects) {
		Tenure current = this.possession.exclusive();
		return current != null && current.canGoTo(waiter, effects.now());
	}

	private void handOverToHead(Waiter head, Effects effects) {
		this.queue.remove(head);
		handOver(head, effects);
	}

	private void handOver(Waiter waiter, Effects effects) {
		Tenure current = Objects.requireNonNull(this.possession.exclusive());
		current.demand().handOver();
		grant(current, waiter, Handle.Entry.HANDED_OVER, effects);
	}

	private void grant(Tenure granted, Waiter waiter, Handle.Entry entry, Effects effects) {
		Hold begun = granted.begin(waiter, effects.now());
		effects.add(() -> waiter.granted(new Handle(begun, entry)));
		if (granted.tokens().beginAsking()) {
			effects.add(granted::askForTokens);
		}
		// If the owner has asked several times at once.
		for (Waiter again : this.queue.of(waiter.owner())) {
			if (repeat(again, effects)) {
				this.queue.remove(again);
			}
		}
	}

}
