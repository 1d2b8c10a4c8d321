package io.lockstarter.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import io.lockstarter.core.LockOwner;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait for one name in this JVM, in the order of their arrival. Used under the
 * monitor of the {@link LocalLock}.
 */
final class WaitQueue {

	private final Set<Waiter> waiters = new LinkedHashSet<>();

	/** How many requests each owner has here: as a rule one. */
	private final Map<LockOwner, Integer> owners = new HashMap<>();

	private final Turn turn = new Turn();

	private @Nullable Waiter head;

	/** How many do not wait when refused. */
	private int impatient;

	void add(Waiter waiter) {
		this.waiters.add(waiter);
		this.owners.merge(waiter.owner(), 1, Integer::sum);
		this.impatient += waiter.waits() ? 0 : 1;
		headMayHaveChanged();
	}

	boolean remove(Waiter waiter) {
		if (!this.waiters.remove(waiter)) {
			return false;
		}
		forgetOwner(waiter);
		this.impatient -= waiter.waits() ? 0 : 1;
		headMayHaveChanged();
		return true;
	}

	private void forgetOwner(Waiter waiter) {
		this.owners.computeIfPresent(waiter.owner(), (owner, count) -> (count > 1) ? count - 1 : null);
	}

	private void headMayHaveChanged() {
		Waiter first = this.waiters.isEmpty() ? null : this.waiters.iterator().next();
		if (first != this.head) {
			this.head = first;
			this.turn.begin();
		}
	}

	boolean contains(Waiter waiter) {
		return this.waiters.contains(waiter);
	}

	/**
	 * Whether those in the queue stand there, who wait behind the head: then all do, else
	 * nobody does.
	 */
	boolean isStanding() {
		Waiter first = this.head;
		return first != null && first.isQueued();
	}

	/** From now on all those in the queue stand there. */
	void stand() {
		if (!isStanding()) {
			this.waiters.forEach(Waiter::queued);
		}
	}

	/**
	 * Let the others pass one whose commands end sooner than those of some of them.
	 */
	void letPass(Waiter waiter) {
		if (this.waiters.stream().anyMatch((other) -> other.timeoutNanos() > waiter.timeoutNanos())
				&& this.waiters.remove(waiter)) {
			this.waiters.add(waiter);
			headMayHaveChanged();
		}
	}

	/** From now on a refusal settles the request of a waiter in the queue. */
	void tryLastTime(Waiter waiter) {
		waiter.tryLastTime();
		this.impatient++;
	}

	/** Take out those that do not wait when refused, of those that are meant. */
	List<Waiter> removeImpatient(Predicate<Waiter> meant) {
		if (this.impatient == 0) {
			return List.of();
		}
		List<Waiter> removed = new ArrayList<>(this.impatient);
		for (Iterator<Waiter> all = this.waiters.iterator(); all.hasNext();) {
			Waiter waiter = all.next();
			if (!waiter.waits() && meant.test(waiter)) {
				all.remove();
				forgetOwner(waiter);
				removed.add(waiter);
			}
		}
		this.impatient -= removed.size();
		headMayHaveChanged();
		return removed;
	}

	List<Waiter> removeAll() {
		List<Waiter> removed = all();
		this.waiters.clear();
		this.owners.clear();
		this.impatient = 0;
		headMayHaveChanged();
		return removed;
	}

	List<Waiter> all() {
		return new ArrayList<>(this.waiters);
	}

	/** The requests of one owner. */
	List<Waiter> of(LockOwner owner) {
		if (!this.owners.containsKey(owner)) {
			return List.of();
		}
		return this.waiters.stream().filter((waiter) -> waiter.owner().equals(owner)).toList();
	}

	@Nullable Waiter head() {
		return this.head;
	}

	/** The right of running threads to overtake the present head. */
	Turn turn() {
		return this.turn;
	}

	int size() {
		return this.waiters.size();
	}

	boolean isEmpty() {
		return this.waiters.isEmpty();
	}

	boolean hasImpatient() {
		return this.impatient > 0;
	}

	/** Whether somebody goes on waiting if refused. */
	boolean anyoneWaits() {
		return this.waiters.size() > this.impatient;
	}

}
