package io.lockstarter.memory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockType;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.AcquireReply;
import io.lockstarter.core.backend.LockBackend.CurrentHolders;
import io.lockstarter.core.backend.LockBackend.Granted;
import io.lockstarter.core.backend.LockBackend.Refused;
import io.lockstarter.core.backend.LockBackend.Waiting;
import io.lockstarter.core.backend.TenureId;
import org.jspecify.annotations.Nullable;

/**
 * State of one lock in memory. Guarded by the monitor of the {@link InMemoryLockStore}.
 */
final class InMemoryLock {

	private static final long EPOCH = System.nanoTime() - 1_000_000;

	private final LongSupplier nanoTime;

	/**
	 * Tenures that hold the lock: an exclusive one, or readers and holders of permits.
	 */
	private final Map<TenureId, HeldTenure> tenures = new HashMap<>();

	private final Map<String, Waiter> waiters = new HashMap<>();

	/**
	 * Creates a free lock.
	 * @param nanoTime the monotonic clock of leases, in nanoseconds
	 */
	InMemoryLock(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	/**
	 * Acquires the lock, or refuses the request.
	 * @param isConnected whether a client is connected, so that it counts as waiting
	 * @param bases supplies token bases
	 */
	AcquireReply acquire(Acquire command, Predicate<String> isConnected, Bases bases) {
		expire();
		String client = command.tenure().client();
		HeldTenure own = this.tenures.get(command.tenure());
		if (own == null) {
			Holder holder = findBlocker(command, isConnected);
			if (holder != null) {
				return refused(command, holder);
			}
			this.waiters.remove(client);
			own = new HeldTenure(command, bases.next(), this.nanoTime);
			this.tenures.put(command.tenure(), own);
		}
		return new Granted(own.base, !this.waiters.isEmpty());
	}

	/** Returns whether a request is a reader's and would be granted now. */
	boolean admitsReader(Acquire command, Predicate<String> isConnected) {
		return command.type().isShared() && findBlocker(command, isConnected) == null;
	}

	private @Nullable Holder findBlocker(Acquire command, Predicate<String> isConnected) {
		if (!this.tenures.isEmpty() && (!command.isShared() || isHeldExclusively())) {
			return describeFirst();
		}
		if (!command.isShared() && command.type() != LockType.FAIR) {
			return null;
		}
		this.waiters.keySet().removeIf(isConnected.negate());
		long position = position(command.waiting(), command.type());
		List<Waiter> ahead = inOrder()
			.filter((waiter) -> !waiter.client.equals(command.tenure().client()) && waiter.position < position)
			.toList();
		if (!command.isShared()) {
			return ahead.isEmpty() ? null : ahead.get(0).describe();
		}
		return findBlockerOfShare(command, ahead);
	}

	/**
	 * Finds a blocker of a reader or of a permit. Clients that have waited longer keep
	 * their permits reserved, even before they request them again.
	 */
	private @Nullable Holder findBlockerOfShare(Acquire command, List<Waiter> ahead) {
		int taken = this.tenures.size();
		for (Waiter waiter : ahead) {
			if (!waiter.reads()) {
				if (waiter.permits <= taken || waiter.isExclusive()) {
					return this.tenures.isEmpty() ? waiter.describe() : describeFirst();
				}
				taken++;
			}
		}
		if (!command.isPermit() || taken < command.permits()) {
			return null;
		}
		return this.tenures.isEmpty() ? ahead.get(0).describe() : describeFirst();
	}

	boolean isHeldExclusively() {
		return this.tenures.values().stream().anyMatch((tenure) -> !tenure.shared);
	}

	private Stream<Waiter> inOrder() {
		return this.waiters.values().stream().sorted(Comparator.comparingLong(Waiter::position));
	}

	/** Returns the holder whose lease ends first. */
	private Holder describeFirst() {
		return this.tenures.values()
			.stream()
			.min(Comparator.comparingLong(HeldTenure::remainingNanos))
			.orElseThrow()
			.describe(this.tenures.size() - 1);
	}

	private Refused refused(Acquire command, Holder holder) {
		OptionalLong position = OptionalLong.empty();
		if (command.waits()) {
			position = OptionalLong.of(enqueue(command));
		}
		return new Refused(holder, position, micros(), command.isPermit() ? differing(command.permits()) : null);
	}

	private LockBackend.@Nullable PermitHolder differing(int permits) {
		return this.tenures.values()
			.stream()
			.filter((tenure) -> tenure.permits > 1 && tenure.permits != permits)
			.findAny()
			.map((tenure) -> new LockBackend.PermitHolder(tenure.holder, tenure.permits))
			.orElse(null);
	}

	/** Enqueues a client, and returns its queue position. */
	long enqueue(Acquire command) {
		long position = position(command.waiting(), command.type());
		String client = command.tenure().client();
		Waiting waiting = command.waiting();
		Waiter before = this.waiters.get(client);
		long seen = (before != null) ? before.seen : System.currentTimeMillis() * 1000;
		this.waiters.put(client, new Waiter(client, position, permitsOf(command), command.holder(),
				(waiting != null) ? waiting.requests() : 1, seen));
		return position;
	}

	private static int permitsOf(Acquire command) {
		return command.type().isShared() ? Waiter.READS : command.permits();
	}

	private long position(@Nullable Waiting waiting, LockType type) {
		if (waiting == null) {
			return micros();
		}
		long waited = (type == LockType.FAIR) ? waiting.waited().toNanos() / 1000 : 0;
		return waiting.position().orElse(micros() - waited);
	}

	private long micros() {
		return (this.nanoTime.getAsLong() - EPOCH) / 1000;
	}

	void leaveQueue(String client) {
		this.waiters.remove(client);
	}

	boolean release(TenureId tenure) {
		expire();
		return this.tenures.remove(tenure) != null;
	}

	boolean downgrade(TenureId tenure) {
		HeldTenure held = find(tenure);
		if (held != null) {
			held.shared = true;
		}
		return held != null;
	}

	@Nullable HeldTenure find(TenureId tenure) {
		expire();
		return this.tenures.get(tenure);
	}

	/**
	 * Returns the clients that are next: the leading readers, which leave the queue, and
	 * the clients for which permits are free, or one exclusive client. The latter keep
	 * their queue positions until they send a request.
	 * @param yielding the next request of a client that yields to others, or {@code null}
	 */
	List<String> dequeueNext(Predicate<String> isConnected, @Nullable Acquire yielding) {
		expire();
		List<String> next = new ArrayList<>();
		if (isHeldExclusively()) {
			return next;
		}
		List<Waiter> queue = inOrder().toList();
		if (yielding != null && yielding.type() == LockType.FAIR
				&& queue.stream()
					.filter((waiter) -> isConnected.test(waiter.client))
					.allMatch((waiter) -> position(yielding.waiting(), yielding.type()) <= waiter.position)) {
			// The yielding client is first again.
			return next;
		}
		int taken = this.tenures.size();
		for (Waiter waiter : queue) {
			boolean connected = isConnected.test(waiter.client);
			if (!connected || waiter.reads()) {
				this.waiters.remove(waiter.client);
			}
			if (connected && waiter.permits <= taken) {
				return next;
			}
			if (connected) {
				next.add(waiter.client);
				taken++;
			}
			if (connected && waiter.isExclusive()) {
				return next;
			}
		}
		return next;
	}

	/** Returns the holders and the waiting requests. */
	CurrentHolders inspect() {
		expire();
		List<LockBackend.CurrentHolder> holders = this.tenures.entrySet()
			.stream()
			.map((entry) -> new LockBackend.CurrentHolder(entry.getKey(), entry.getValue().describe(0),
					entry.getValue().base, entry.getValue().permits))
			.toList();
		return new CurrentHolders(holders, queue());
	}

	private LockBackend.WaitQueue queue() {
		return new LockBackend.WaitQueue(this.waiters.values().stream().mapToInt(Waiter::requests).sum(),
				this.waiters.size(), this.waiters.values().stream().mapToLong(Waiter::seen).min().orElse(0));
	}

	/** Returns the clients that hold the lock. */
	List<String> holders() {
		expire();
		return this.tenures.keySet().stream().map(TenureId::client).distinct().toList();
	}

	boolean isUnused() {
		expire();
		return this.tenures.isEmpty() && this.waiters.isEmpty();
	}

	private void expire() {
		if (!this.tenures.isEmpty()) {
			this.tenures.values().removeIf((tenure) -> tenure.remainingNanos() <= 0);
		}
	}

	/**
	 * Source of token bases, in rising order.
	 */
	interface Bases {

		long next();

	}

	/**
	 * Waiting client with its request.
	 */
	private record Waiter(String client, long position, int permits, String label, int requests, long seen) {

		/** Number of permits for readers, which are not limited. */
		static final int READS = Integer.MAX_VALUE;

		boolean reads() {
			return this.permits == READS;
		}

		boolean isExclusive() {
			return this.permits == 1;
		}

		Holder describe() {
			return new Holder(this.label, Duration.ZERO, Duration.ofSeconds(1));
		}

	}

	/**
	 * Tenure that holds the lock.
	 */
	static final class HeldTenure {

		private final String holder;

		private final long base;

		private final LongSupplier nanoTime;

		private final long since;

		private final int permits;

		private boolean shared;

		private long end;

		HeldTenure(Acquire command, long base, LongSupplier nanoTime) {
			this.nanoTime = nanoTime;
			this.since = nanoTime.getAsLong();
			this.holder = Objects.requireNonNull(command.holder());
			this.base = base;
			this.permits = command.permits();
			this.shared = command.isShared();
			this.end = this.since + command.lease().toNanos();
		}

		long remainingNanos() {
			return this.end - this.nanoTime.getAsLong();
		}

		/** Extends the lease; never shortens it. */
		void extend(Duration lease) {
			if (lease.toNanos() > remainingNanos()) {
				this.end = this.nanoTime.getAsLong() + lease.toNanos();
			}
		}

		/** Shortens the lease; never extends it. */
		boolean shortenLease(Duration rest) {
			boolean sooner = !this.shared && rest.toNanos() < remainingNanos();
			if (sooner) {
				this.end = this.nanoTime.getAsLong() + rest.toNanos();
			}
			return sooner;
		}

		Holder describe(int others) {
			return new Holder(this.holder, Duration.ofNanos(this.nanoTime.getAsLong() - this.since),
					Duration.ofNanos(remainingNanos()), others);
		}

	}

}
