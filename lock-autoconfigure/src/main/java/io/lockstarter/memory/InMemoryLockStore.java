package io.lockstarter.memory;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.lockstarter.core.Holder;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Renew;
import io.lockstarter.core.backend.LockBackend.Verdict;
import io.lockstarter.core.backend.LockBackend.WakeListener;
import io.lockstarter.core.backend.TenureId;
import org.jspecify.annotations.Nullable;

/**
 * The state that in-memory backends share, as clients share a server. Thread-safe.
 * Forgets a lock as soon as it is released and nobody waits for it; one that expired,
 * when its name is used again.
 */
public final class InMemoryLockStore {

	private final Map<String, Tenancy> held = new HashMap<>();

	private final Map<String, Set<String>> waiters = new HashMap<>();

	private final Map<String, WakeListener> clients = new ConcurrentHashMap<>();

	private long lastBase;

	void connect(String client, WakeListener listener) {
		this.clients.put(client, listener);
	}

	void disconnect(String client) {
		this.clients.remove(client);
	}

	/** Take a lock, or return who holds it. */
	synchronized Answer acquire(Acquire command) {
		Tenancy current = current(command.name());
		String client = command.tenure().client();
		if (current == null) {
			removeWaiter(command.name(), client);
			current = new Tenancy(command.tenure(), command.holder(), nextBase(), System.nanoTime(),
					command.lease().toNanos());
			this.held.put(command.name(), current);
			return new Answer(current.base, null);
		}
		if (current.tenure.equals(command.tenure())) {
			return new Answer(current.base, null);
		}
		if (command.waits()) {
			this.waiters.computeIfAbsent(command.name(), (name) -> new LinkedHashSet<>()).add(client);
		}
		return new Answer(0, current.describe());
	}

	/** Rising even beyond the life of a lock's entry, since one counter serves all. */
	private long nextBase() {
		long base = Math.max(this.lastBase + 1, System.currentTimeMillis() * 1000);
		this.lastBase = base + LockBackend.TOKEN_BASES - 1;
		return base;
	}

	synchronized boolean isWanted(String name) {
		return this.waiters.containsKey(name);
	}

	/** Tell the client that holds a lock that another one waits for it. */
	void tellHolder(String name, String client) {
		WakeListener holder = null;
		synchronized (this) {
			Tenancy current = current(name);
			if (current != null && !current.tenure.client().equals(client)) {
				holder = this.clients.get(current.tenure.client());
			}
		}
		if (holder != null) {
			holder.wanted(name);
		}
	}

	synchronized boolean release(Release command) {
		Tenancy current = current(command.name());
		if (current == null || !current.tenure.equals(command.tenure())) {
			return false;
		}
		this.held.remove(command.name());
		return true;
	}

	/**
	 * Wake one client that waits, if the lock is free.
	 * @return whether another client was woken
	 */
	boolean wakeNext(String name, String client, boolean yields) {
		WakeListener next;
		synchronized (this) {
			removeWaiter(name, client);
			next = (current(name) == null) ? pollWaiter(name) : null;
			if (next != null && yields) {
				this.waiters.computeIfAbsent(name, (key) -> new LinkedHashSet<>()).add(client);
			}
		}
		if (next != null) {
			next.wake(name);
		}
		return next != null;
	}

	private @Nullable WakeListener pollWaiter(String name) {
		Set<String> waiting = this.waiters.get(name);
		while (waiting != null && !waiting.isEmpty()) {
			String client = waiting.iterator().next();
			removeWaiter(name, client);
			WakeListener listener = this.clients.get(client);
			if (listener != null) {
				return listener;
			}
		}
		return null;
	}

	private void removeWaiter(String name, String client) {
		Set<String> waiting = this.waiters.get(name);
		if (waiting != null && waiting.remove(client) && waiting.isEmpty()) {
			this.waiters.remove(name);
		}
	}

	synchronized Verdict renew(Renew command) {
		Tenancy current = current(command.name());
		if (current == null || !current.tenure.equals(command.tenure())) {
			return Verdict.LOST;
		}
		current.extend(command.lease());
		return command.tokens() ? new Verdict(true, OptionalLong.of(nextBase())) : Verdict.HELD;
	}

	/** How many names the store remembers. */
	synchronized int size() {
		return this.held.size() + this.waiters.size();
	}

	private @Nullable Tenancy current(String name) {
		Tenancy current = this.held.get(name);
		if (current != null && current.remainingNanos() <= 0) {
			this.held.remove(name);
			return null;
		}
		return current;
	}

	/**
	 * The answer to an acquire.
	 *
	 * @param base the token base, if granted
	 * @param holder who holds the lock, if refused
	 */
	record Answer(long base, @Nullable Holder holder) {
	}

	private static final class Tenancy {

		private final TenureId tenure;

		private final String holder;

		private final long base;

		private final long since;

		private long end;

		Tenancy(TenureId tenure, String holder, long base, long since, long leaseNanos) {
			this.tenure = tenure;
			this.holder = holder;
			this.base = base;
			this.since = since;
			this.end = since + leaseNanos;
		}

		long remainingNanos() {
			return this.end - System.nanoTime();
		}

		void extend(Duration lease) {
			if (lease.toNanos() > remainingNanos()) {
				this.end = System.nanoTime() + lease.toNanos();
			}
		}

		Holder describe() {
			return new Holder(this.holder, Duration.ofNanos(System.nanoTime() - this.since),
					Duration.ofNanos(remainingNanos()));
		}

	}

}
