package io.lockstarter.memory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Predicate;

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
 * The state of one lock in memory. Used under the monitor of the
 * {@link InMemoryLockStore}.
 */
final class InMemoryLock {

	private static final long EPOCH = System.nanoTime() - 1_000_000;

	/** Who has the lock: one alone, or readers. */
	private final Map<TenureId, Tenancy> tenancies = new HashMap<>();

	private final Map<String, Waiter> waiters = new HashMap<>();

	/**
	 * Take the lock, or be refused.
	 * @param isConnected which clients count among those who wait
	 * @param bases gives token bases
	 */
	AcquireReply acquire(Acquire command, Predicate<String> isConnected, Bases bases) {
		expire();
		String client = command.tenure().client();
		Tenancy own = this.tenancies.get(command.tenure());
		if (own == null) {
			Holder holder = inTheWay(command, isConnected);
			if (holder != null) {
				return refused(command, holder);
			}
			this.waiters.remove(client);
			own = new Tenancy(command, bases.next());
			this.tenancies.put(command.tenure(), own);
		}
		return new Granted(own.base, !this.waiters.isEmpty());
	}

	/** Whether a request is of a reader that would be let in now. */
	boolean admitsReader(Acquire command, Predicate<String> isConnected) {
		return command.type().isShared() && inTheWay(command, isConnected) == null;
	}

	private @Nullable Holder inTheWay(Acquire command, Predicate<String> isConnected) {
		boolean reads = command.type().isShared();
		Tenancy holding = this.tenancies.isEmpty() ? null : this.tenancies.values().iterator().next();
		if (holding != null && !(reads && holding.shared)) {
			return holding.describe();
		}
		if (!reads && command.type() != LockType.FAIR) {
			return null;
		}
		this.waiters.keySet().removeIf(isConnected.negate());
		long place = place(command.waiting(), command.type());
		return this.waiters.values()
			.stream()
			.filter((waiter) -> !waiter.client.equals(command.tenure().client()) && waiter.place < place
					&& !(reads && waiter.reads))
			.findAny()
			.map((waiter) -> new Holder(waiter.label, Duration.ZERO, Duration.ofSeconds(1)))
			.orElse(null);
	}

	private Refused refused(Acquire command, Holder holder) {
		OptionalLong place = OptionalLong.empty();
		if (command.waits()) {
			place = OptionalLong.of(waits(command));
		}
		return new Refused(holder, place, micros());
	}

	/** Put a client among the waiters, and return its place. */
	long waits(Acquire command) {
		long place = place(command.waiting(), command.type());
		String client = command.tenure().client();
		this.waiters.put(client, new Waiter(client, place, command.type().isShared(), command.holder()));
		return place;
	}

	private static long place(@Nullable Waiting waiting, LockType type) {
		if (waiting == null) {
			return micros();
		}
		long waited = (type == LockType.FAIR) ? waiting.waited().toNanos() / 1000 : 0;
		return waiting.position().orElse(micros() - waited);
	}

	private static long micros() {
		return (System.nanoTime() - EPOCH) / 1000;
	}

	void leaveWaiters(String client) {
		this.waiters.remove(client);
	}

	boolean release(TenureId tenure) {
		expire();
		return this.tenancies.remove(tenure) != null;
	}

	boolean downgrade(TenureId tenure) {
		Tenancy holding = find(tenure);
		if (holding != null) {
			holding.shared = true;
		}
		return holding != null;
	}

	@Nullable Tenancy find(TenureId tenure) {
		expire();
		return this.tenancies.get(tenure);
	}

	/**
	 * Those whose turn it is: all leading readers, who are taken from the waiters, or one
	 * other, who keeps its place until it asks.
	 * @param yielding what a client waits with that lets others go first
	 */
	List<String> takeNext(Predicate<String> isConnected, @Nullable Acquire yielding) {
		expire();
		List<String> next = new ArrayList<>();
		boolean shared = !this.tenancies.isEmpty();
		if (this.tenancies.values().stream().anyMatch((tenancy) -> !tenancy.shared)) {
			return next;
		}
		List<Waiter> queue = new ArrayList<>(this.waiters.values());
		queue.sort(Comparator.comparingLong((waiter) -> waiter.place));
		if (yielding != null && yielding.type() == LockType.FAIR && !queue.isEmpty()
				&& place(yielding.waiting(), yielding.type()) < queue.get(0).place) {
			// It is its own turn again.
			return next;
		}
		for (Waiter waiter : queue) {
			boolean connected = isConnected.test(waiter.client);
			if (connected && !waiter.reads) {
				if (!shared && next.isEmpty()) {
					next.add(waiter.client);
				}
				return next;
			}
			this.waiters.remove(waiter.client);
			if (connected) {
				next.add(waiter.client);
			}
		}
		return next;
	}

	/** Who has the lock, and how many wait for it. */
	CurrentHolders occupancy() {
		expire();
		List<LockBackend.CurrentHolder> having = this.tenancies.entrySet()
			.stream()
			.map((entry) -> new LockBackend.CurrentHolder(entry.getKey(), entry.getValue().describe(),
					entry.getValue().base))
			.toList();
		return new CurrentHolders(having, this.waiters.size());
	}

	/** The clients that have the lock. */
	List<String> holders() {
		expire();
		return this.tenancies.keySet().stream().map(TenureId::client).distinct().toList();
	}

	boolean isUnused() {
		expire();
		return this.tenancies.isEmpty() && this.waiters.isEmpty();
	}

	private void expire() {
		if (!this.tenancies.isEmpty()) {
			this.tenancies.values().removeIf((tenancy) -> tenancy.remainingNanos() <= 0);
		}
	}

	/**
	 * Gives token bases, in rising order.
	 */
	interface Bases {

		long next();

	}

	/**
	 * Who waits, and for what.
	 */
	private record Waiter(String client, long place, boolean reads, String label) {
	}

	/**
	 * One who has the lock.
	 */
	static final class Tenancy {

		private final String holder;

		private final long base;

		private final long since = System.nanoTime();

		private boolean shared;

		private long end;

		Tenancy(Acquire command, long base) {
			this.holder = Objects.requireNonNull(command.holder());
			this.base = base;
			this.shared = command.type().isShared();
			this.end = this.since + command.lease().toNanos();
		}

		long remainingNanos() {
			return this.end - System.nanoTime();
		}

		/** Never shorter. */
		void extend(Duration lease) {
			if (lease.toNanos() > remainingNanos()) {
				this.end = System.nanoTime() + lease.toNanos();
			}
		}

		/** Never longer. */
		boolean curtail(Duration rest) {
			boolean sooner = !this.shared && rest.toNanos() < remainingNanos();
			if (sooner) {
				this.end = System.nanoTime() + rest.toNanos();
			}
			return sooner;
		}

		Holder describe() {
			return new Holder(this.holder, Duration.ofNanos(System.nanoTime() - this.since),
					Duration.ofNanos(remainingNanos()));
		}

	}

}
