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
 * Those who wait for one name in this JVM, in the order of their arrival. Used under the
 * monitor of the {@link LocalLock}.
 */
final class LocalQueue {

	/** Takes up room only while somebody waits, as do the others. */
	private Set<Waiter> waiters = Set.of();

	/** How many requests each owner has here: as a rule one. */
	private Map<LockOwner, Integer> owners = Map.of();

	private @Nullable Waiter head;

	private @Nullable OvertakingLimit overtaking;

	/** How many try only once: a refusal settles their requests. */
	private int tryOnce;

	void add(Waiter waiter, Moment now) {
		if (this.waiters.isEmpty()) {
			this.waiters = new LinkedHashSet<>();
			this.owners = new HashMap<>();
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
			this.overtaking = null;
			return;
		}
		Waiter first = this.waiters.iterator().next();
		if (first != this.head) {
			this.head = first;
			this.overtaking = new OvertakingLimit(now);
		}
	}

	boolean contains(Waiter waiter) {
		return this.waiters.contains(waiter);
	}

	/**
	 * Whether those in the queue stand there, behind the head: then all do, else nobody
	 * does.
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

	/** Let others pass a waiter whose commands end sooner than those of some of them. */
	void letPass(Waiter waiter, Moment now) {
		if (this.waiters.stream().anyMatch((other) -> other.timeoutNanos() > waiter.timeoutNanos())
				&& this.waiters.remove(waiter)) {
			this.waiters.add(waiter);
			headMayHaveChanged(now);
		}
	}

	/** From now on a refusal settles the request of a waiter in the queue. */
	void becomeLastTry(Waiter waiter) {
		waiter.becomeLastTry();
		this.tryOnce++;
	}

	/** Take out those who try only once, of those that are meant. */
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

	/** The request behind the head, or {@code null} if there is none. */
	@Nullable Waiter second() {
		return this.waiters.stream().skip(1).findFirst().orElse(null);
	}

	/** How long running threads may overtake the present head, while there is one. */
	OvertakingLimit overtaking() {
		return Objects.requireNonNull(this.overtaking);
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

	/** How many go on waiting if refused. */
	int waiting() {
		return this.waiters.size() - this.tryOnce;
	}

	/** Whether somebody goes on waiting if refused. */
	boolean anyoneWaits() {
		return waiting() > 0;
	}

}
