package io.lockstarter.engine;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Those who wait for one name in this JVM, in the order of their arrival. Used under the
 * monitor of the {@link LocalLock}.
 */
final class WaitQueue {

	private final Set<Waiter> waiters = new LinkedHashSet<>();

	private final Turn turn = new Turn();

	private @Nullable Waiter head;

	/** How many do not wait when refused. */
	private int impatient;

	void add(Waiter waiter) {
		this.waiters.add(waiter);
		this.impatient += waiter.waits() ? 0 : 1;
		headMayHaveChanged();
	}

	boolean remove(Waiter waiter) {
		if (!this.waiters.remove(waiter)) {
			return false;
		}
		this.impatient -= waiter.waits() ? 0 : 1;
		headMayHaveChanged();
		return true;
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

	/** From now on a refusal settles the request of a waiter in the queue. */
	void tryLastTime(Waiter waiter) {
		waiter.tryLastTime();
		this.impatient++;
	}

	/** Take out all who do not wait when refused. */
	List<Waiter> removeImpatient() {
		if (this.impatient == 0) {
			return List.of();
		}
		List<Waiter> removed = new ArrayList<>(this.impatient);
		for (Iterator<Waiter> all = this.waiters.iterator(); all.hasNext();) {
			Waiter waiter = all.next();
			if (!waiter.waits()) {
				all.remove();
				removed.add(waiter);
			}
		}
		this.impatient = 0;
		headMayHaveChanged();
		return removed;
	}

	List<Waiter> removeAll() {
		List<Waiter> removed = all();
		this.waiters.clear();
		this.impatient = 0;
		headMayHaveChanged();
		return removed;
	}

	List<Waiter> all() {
		return new ArrayList<>(this.waiters);
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
