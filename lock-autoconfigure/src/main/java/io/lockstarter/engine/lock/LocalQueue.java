package io.lockstarter.engine.lock;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

import io.lockstarter.core.LockOwner;
import io.lockstarter.engine.lease.Moment;
import org.jspecify.annotations.Nullable;

/**
 * Requests that wait for one name in this JVM, in the order of their arrival. Used under
 * the monitor of the {@link LocalLock}.
 */
final class LocalQueue {

	/**
	 * Waiting requests. This collection and the following one are allocated only while a
	 * request waits, and for one request, which is the usual number.
	 */
	private Set<Waiter> waiters = Set.of();

	/** Number of requests of each owner, usually one. */
	private Map<LockOwner, Integer> owners = Map.of();

	private @Nullable Waiter head;

	private @Nullable BargingLimit barging;

	/** Number of requests that try only once, and complete with a refusal. */
	private int tryOnce;

	void add(Waiter waiter, Moment now) {
		if (this.waiters.isEmpty()) {
			this.waiters = new LinkedHashSet<>(2);
			this.owners = new HashMap<>(2);
		}
		this.waiters.add(waiter);
		this.owners.merge(waiter.owner(), 1, Integer::sum);
		this.tryOnce += waiter.waits() ? 0 : 1;
		headMayHaveChanged(now);
	}

	boolean remove(Waiter waiter, Moment now) {
		if (!contains(waiter)) {
			return false;
		}
		this.waiters.remove(waiter);
		forgetOwner(waiter);
		this.tryOnce -= waiter.waits() ? 0 : 1;
		headMayHaveChanged(now);
		return true;
	}

	private void forgetOwner(Waiter waiter) {
		this.owners.computeIfPresent(waiter.owner(), (owner, count) -> (count > 1) ? count - 1 : null);
	}

	private void headMayHaveChanged(Moment now) {
		if (this.waiters.isEmpty()) {
			this.waiters = Set.of();
			this.owners = Map.of();
			this.head = null;
			this.barging = null;
			return;
		}
		Waiter first = this.waiters.iterator().next();
		if (first != this.head) {
			this.head = first;
			this.barging = new BargingLimit(now);
		}
	}

	boolean contains(Waiter waiter) {
		return this.waiters.contains(waiter);
	}

	/**
	 * Returns whether the backend has made the requests in the queue wait. Either all of
	 * them are marked so, or none is.
	 */
	boolean isStanding() {
		Waiter first = this.head;
		return first != null && first.isQueued();
	}

	/** Marks all requests in the queue as made to wait by the backend. */
	void stand() {
		if (!isStanding()) {
			this.waiters.forEach(Waiter::queued);
		}
	}

	/**
	 * Moves a request to the end of the queue, if the commands of another request have a
	 * longer timeout.
	 */
	void letPass(Waiter waiter, Moment now) {
		if (this.waiters.stream().anyMatch((other) -> other.timeoutNanos() > waiter.timeoutNanos())
				&& this.waiters.remove(waiter)) {
			this.waiters.add(waiter);
			headMayHaveChanged(now);
		}
	}

	/** Lets the next refusal complete a request in the queue. */
	void becomeLastTry(Waiter waiter) {
		waiter.becomeLastTry();
		this.tryOnce++;
	}

	/** Removes the requests that try only once and that a filter selects. */
	List<Waiter> removeTriesOnce(Predicate<Waiter> meant, Moment now) {
		if (this.tryOnce == 0) {
			return List.of();
		}
		List<Waiter> removed = new ArrayList<>(this.tryOnce);
		for (Iterator<Waiter> all = this.waiters.iterator(); all.hasNext();) {
			Waiter waiter = all.next();
			if (!waiter.waits() && meant.test(waiter)) {
				all.remove();
				forgetOwner(waiter);
				removed.add(waiter);
			}
		}
		this.tryOnce -= removed.size();
		headMayHaveChanged(now);
		return removed;
	}

	List<Waiter> all() {
		return new ArrayList<>(this.waiters);
	}

	/** Returns the requests of one owner. */
	List<Waiter> of(LockOwner owner) {
		if (!this.owners.containsKey(owner)) {
			return List.of();
		}
		return this.waiters.stream().filter((waiter) -> waiter.owner().equals(owner)).toList();
	}

	@Nullable Waiter head() {
		return this.head;
	}

	/** Returns the request behind the head, or {@code null} if there is none. */
	@Nullable Waiter second() {
		return this.waiters.stream().skip(1).findFirst().orElse(null);
	}

	/**
	 * Returns the limit on barging before the current head. Called only while there is a
	 * head.
	 */
	BargingLimit barging() {
		return Objects.requireNonNull(this.barging);
	}

	int size() {
		return this.waiters.size();
	}

	boolean isEmpty() {
		return this.waiters.isEmpty();
	}

	boolean anyoneTriesOnce() {
		return this.tryOnce > 0;
	}

	/** Returns the number of requests that continue to wait after a refusal. */
	int waiting() {
		return this.waiters.size() - this.tryOnce;
	}

	/** Returns whether a request continues to wait after a refusal. */
	boolean anyoneWaits() {
		return waiting() > 0;
	}

}
