package io.lockstarter.memory;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.AcquireReply;
import io.lockstarter.core.backend.LockBackend.CurrentHolders;
import io.lockstarter.core.backend.LockBackend.Page;
import io.lockstarter.core.backend.LockBackend.Refused;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.LockBackend.Release.Intent;
import io.lockstarter.core.backend.LockBackend.Renew;
import io.lockstarter.core.backend.LockBackend.RenewalReply;
import io.lockstarter.core.backend.LockBackend.WakeListener;
import io.lockstarter.core.backend.TenureId;
import org.jspecify.annotations.Nullable;

/**
 * Locks that in-memory backends share, as clients share a server. The store removes a
 * lock once it is released and has no waiters, and an expired lock when its name is used
 * again. Thread-safe.
 */
public final class InMemoryLockStore {

	private final Map<String, InMemoryLock> locks = new HashMap<>();

	private final Map<String, WakeListener> clients = new ConcurrentHashMap<>();

	private final String salt = UUID.randomUUID().toString();

	private long lastBase;

	/** Difference between the store's clocks and those of the JVM, in nanoseconds. */
	private volatile long leadNanos;

	/**
	 * Advances the time for all leases at once, as if all clients had been suspended
	 * meanwhile: no lease is renewed before the time has passed. Everything else that is
	 * timed, such as the wait of a request, follows the clocks of the JVM.
	 * @param time the time to add, not negative
	 * @return completes when all clients have checked their leases: leases that have
	 * ended are lost, and renewals of the others were requested
	 */
	public CompletableFuture<?> advance(Duration time) {
		if (time.isNegative()) {
			throw new IllegalArgumentException("The time must not be negative but is " + time);
		}
		synchronized (this) {
			this.leadNanos = Math.addExact(this.leadNanos, time.toNanos());
		}
		return CompletableFuture
			.allOf(this.clients.values().stream().map(WakeListener::clockAdvanced).toArray(CompletableFuture[]::new));
	}

	/** Returns the wall clock of leases. */
	InstantSource wallClock() {
		return () -> Instant.now().plusNanos(this.leadNanos);
	}

	private long nanoTime() {
		return System.nanoTime() + this.leadNanos;
	}

	void connect(String client, WakeListener listener) {
		this.clients.put(client, listener);
	}

	void disconnect(String client) {
		this.clients.remove(client);
	}

	AcquireReply acquire(Acquire command) {
		AcquireReply reply = with(command.name(),
				(lock) -> lock.acquire(command, this.clients::containsKey, this::nextBase));
		if (reply instanceof Refused && command.waits()) {
			notifyHolders(command.name(), command.tenure().client());
		}
		if (reply instanceof Refused || command.isShared()) {
			// Others may be next without having been notified: the lock is free, or the
			// previous request of this client blocked them.
			wake(command.name(), with(command.name(), (lock) -> lock.dequeueNext(this.clients::containsKey, null)));
		}
		return reply;
	}

	/**
	 * Returns the next token base. One counter for all locks rises even after a lock is
	 * removed.
	 */
	private long nextBase() {
		long base = Math.max(this.lastBase + 1, System.currentTimeMillis() * 1000);
		this.lastBase = base + LockBackend.TOKEN_BASES - 1;
		return base;
	}

	/** Notifies the clients that hold a lock that another client waits for it. */
	private void notifyHolders(String name, String client) {
		for (String holder : with(name, InMemoryLock::holders)) {
			WakeListener listener = holder.equals(client) ? null : this.clients.get(holder);
			if (listener != null) {
				listener.contended(name);
			}
		}
	}

	/** Ends a tenure. Returns {@code false} if the tenure did not hold the lock. */
	boolean release(Release command) {
		return with(command.name(), (lock) -> (command.intent() == Intent.DOWNGRADE) ? lock.downgrade(command.tenure())
				: lock.release(command.tenure()));
	}

	CurrentHolders inspect(String name) {
		return with(name, InMemoryLock::inspect);
	}

	/**
	 * Returns a page of names. A page begins after the last name of the page before, by a
	 * digest that does not reveal the name.
	 */
	synchronized Page names(String from, int size) {
		NavigableMap<String, String> held = new TreeMap<>();
		this.locks.forEach((name, lock) -> {
			if (!lock.holders().isEmpty()) {
				held.put(digest(name), name);
			}
		});
		NavigableMap<String, String> rest = held.tailMap(from, false);
		List<String> names = rest.values().stream().limit(size).toList();
		return new Page(names, (rest.size() <= size) ? "" : digest(names.get(size - 1)));
	}

	private String digest(String name) {
		return UUID.nameUUIDFromBytes((this.salt + name).getBytes(StandardCharsets.UTF_8)).toString();
	}

	/** Notifies a client that its tenure of a lock was force-released. */
	void notifyForceReleased(String name, String client) {
		WakeListener listener = this.clients.get(client);
		if (listener != null) {
			listener.forceReleased(name);
		}
	}

	/**
	 * Wakes the clients that are next, if the lock can be acquired.
	 * @return the reply to the release. It contains the queue position of a client that
	 * yields, if others were woken with which it cannot share the lock, or if it is fair.
	 */
	Release.Reply wakeNext(Release command, Release.Outcome outcome) {
		String name = command.name();
		String client = command.tenure().client();
		Woken woken = with(name, (lock) -> {
			if (leavesQueue(command.intent())) {
				lock.leaveQueue(client);
			}
			Acquire yielding = command.next();
			if (yielding != null && yielding.isPermit()) {
				// This client is woken like the others when it is next.
				OptionalLong position = OptionalLong.of(lock.enqueue(yielding));
				return new Woken(lock.dequeueNext(this.clients::containsKey, null), position, false);
			}
			List<String> next = lock.dequeueNext(this.clients::containsKey, yielding);
			if (yielding == null || (yielding.type() != LockType.FAIR && next.isEmpty()) || lock.isHeldExclusively()
					|| lock.admitsReader(yielding, this.clients::containsKey)) {
				return new Woken(next, OptionalLong.empty(), false);
			}
			return new Woken(next, OptionalLong.of(lock.enqueue(yielding)), next.isEmpty());
		});
		wake(name, woken.clients);
		return new Release.Reply(outcome, woken.position, woken.none);
	}

	private void wake(String name, List<String> woken) {
		for (String client : woken) {
			WakeListener listener = this.clients.get(client);
			if (listener != null) {
				listener.wake(name);
			}
		}
	}

	private static boolean leavesQueue(Intent intent) {
		return switch (intent) {
			case LEAVE, YIELD, RETURN -> true;
			case STAY, DOWNGRADE, FORCE -> false;
		};
	}

	RenewalReply renew(Renew command) {
		return with(command.name(), (lock) -> {
			InMemoryLock.HeldTenure held = lock.find(command.tenure());
			if (held == null) {
				return RenewalReply.LOST;
			}
			held.extend(command.lease());
			return RenewalReply.HELD;
		});
	}

	/** Shortens the lease of a tenure. Readers keep their leases. */
	boolean shortenLease(String name, TenureId tenure, Duration rest) {
		return with(name, (lock) -> {
			InMemoryLock.HeldTenure held = lock.find(tenure);
			return held != null && held.shortenLease(rest);
		});
	}

	/** Returns the number of stored locks. */
	synchronized int size() {
		return this.locks.size();
	}

	private synchronized <T extends @Nullable Object> T with(String name, Function<InMemoryLock, T> action) {
		InMemoryLock lock = this.locks.computeIfAbsent(name, (key) -> new InMemoryLock(this::nanoTime));
		T result = action.apply(lock);
		if (lock.isUnused()) {
			this.locks.remove(name);
		}
		return result;
	}

	/**
	 * Clients that were woken.
	 *
	 * @param clients the clients
	 * @param position the queue position of the client that yielded to them
	 * @param none whether the client yielded although no other client was woken
	 */
	private record Woken(List<String> clients, OptionalLong position, boolean none) {
	}

}
