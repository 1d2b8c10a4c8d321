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
 * The locks that in-memory backends share, as clients share a server. Thread-safe.
 * Forgets a lock as soon as it is released and nobody waits for it; one that expired,
 * when its name is used again.
 */
public final class InMemoryLockStore {

	private final Map<String, InMemoryLock> locks = new HashMap<>();

	private final Map<String, WakeListener> clients = new ConcurrentHashMap<>();

	private final String salt = UUID.randomUUID().toString();

	private long lastBase;

	/** How far its clocks are ahead of those of the JVM. */
	private volatile long leadNanos;

	/**
	 * Let time pass at once for all leases, as if all clients had been stopped meanwhile:
	 * none is renewed before it has passed. What else is timed, such as how long a
	 * request waits, goes on by the clocks of the JVM.
	 * @param time how much time
	 * @return completes when the clients that listen have looked at their leases: those
	 * that have ended are lost, and the others were asked to be renewed
	 */
	public CompletableFuture<?> advance(Duration time) {
		if (time.isNegative()) {
			throw new IllegalArgumentException("Time cannot go back, by " + time);
		}
		synchronized (this) {
			this.leadNanos = Math.addExact(this.leadNanos, time.toNanos());
		}
		return CompletableFuture
			.allOf(this.clients.values().stream().map(WakeListener::clockAdvanced).toArray(CompletableFuture[]::new));
	}

	/** The wall clock that leases go by. */
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
		AcquireReply answer = with(command.name(),
				(lock) -> lock.acquire(command, this.clients::containsKey, this::nextBase));
		if (answer instanceof Refused && command.waits()) {
			tellHolders(command.name(), command.tenure().client());
		}
		if (answer instanceof Refused || command.isShared()) {
			// It may be the turn of others, who have not heard of that: of a free lock,
			// or
			// because the client stood in their way with what it has asked for before.
			wake(command.name(), with(command.name(), (lock) -> lock.takeNext(this.clients::containsKey, null)));
		}
		return answer;
	}

	/** Rising even beyond the life of a lock's entry, since one counter serves all. */
	private long nextBase() {
		long base = Math.max(this.lastBase + 1, System.currentTimeMillis() * 1000);
		this.lastBase = base + LockBackend.TOKEN_BASES - 1;
		return base;
	}

	/** Tell the clients that have a lock that another one waits for it. */
	private void tellHolders(String name, String client) {
		for (String holder : with(name, InMemoryLock::holders)) {
			WakeListener listener = holder.equals(client) ? null : this.clients.get(holder);
			if (listener != null) {
				listener.contended(name);
			}
		}
	}

	/** End a tenure; {@code false} if it did not have the lock. */
	boolean release(Release command) {
		return with(command.name(), (lock) -> (command.intent() == Intent.DOWNGRADE) ? lock.downgrade(command.tenure())
				: lock.release(command.tenure()));
	}

	CurrentHolders occupancy(String name) {
		return with(name, InMemoryLock::occupancy);
	}

	/**
	 * A page begins behind the last name of the page before, in an order that tells
	 * nobody a name.
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

	/** Tell a client that a lock was taken away from it. */
	void tellOusted(String name, String client) {
		WakeListener listener = this.clients.get(client);
		if (listener != null) {
			listener.takenAway(name);
		}
	}

	/**
	 * Wake those whose turn it is, if they can have the lock.
	 * @return the answer to the release: with the place among the waiters of a client
	 * that yields, if others were woken whom it cannot join, or if it is fair
	 */
	Release.Reply wakeNext(Release command, Release.Outcome outcome) {
		String name = command.name();
		String client = command.tenure().client();
		Woken woken = with(name, (lock) -> {
			if (leavesWaiters(command.intent())) {
				lock.leaveWaiters(client);
			}
			Acquire yielding = command.next();
			if (yielding != null && yielding.isPermit()) {
				// In its turn it is woken like the others.
				OptionalLong place = OptionalLong.of(lock.waits(yielding));
				return new Woken(lock.takeNext(this.clients::containsKey, null), place, false);
			}
			List<String> next = lock.takeNext(this.clients::containsKey, yielding);
			if (yielding == null || (yielding.type() != LockType.FAIR && next.isEmpty()) || lock.isHeldAlone()
					|| lock.admitsReader(yielding, this.clients::containsKey)) {
				return new Woken(next, OptionalLong.empty(), false);
			}
			return new Woken(next, OptionalLong.of(lock.waits(yielding)), next.isEmpty());
		});
		wake(name, woken.clients);
		return new Release.Reply(outcome, woken.place, woken.none);
	}

	private void wake(String name, List<String> woken) {
		for (String client : woken) {
			WakeListener listener = this.clients.get(client);
			if (listener != null) {
				listener.wake(name);
			}
		}
	}

	private static boolean leavesWaiters(Intent intent) {
		return switch (intent) {
			case LEAVE, YIELD, RETURN -> true;
			case STAY, DOWNGRADE, FORCE -> false;
		};
	}

	RenewalReply renew(Renew command) {
		return with(command.name(), (lock) -> {
			InMemoryLock.Tenancy holding = lock.find(command.tenure());
			if (holding == null) {
				return RenewalReply.LOST;
			}
			holding.extend(command.lease());
			return RenewalReply.HELD;
		});
	}

	/** Let a tenure end sooner; readers keep their leases. */
	boolean curtail(String name, TenureId tenure, Duration rest) {
		return with(name, (lock) -> {
			InMemoryLock.Tenancy holding = lock.find(tenure);
			return holding != null && holding.curtail(rest);
		});
	}

	/** How many names the store remembers. */
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
	 * Who was woken, and the place of the one who yielded to them, or to nobody.
	 */
	private record Woken(List<String> clients, OptionalLong place, boolean none) {
	}

}
