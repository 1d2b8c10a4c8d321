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
 * The state of one lock in memory. Used under the monitor of the
 * {@link InMemoryLockStore}.
 */
final class InMemoryLock {

	private static final long EPOCH = System.nanoTime() - 1_000_000;

	private final LongSupplier nanoTime;

	/** Who has the lock: one alone, or readers and owners of permits. */
	private final Map<TenureId, Tenancy> tenancies = new HashMap<>();

	private final Map<String, Waiter> waiters = new HashMap<>();

	/**
	 * Begin with nobody.
	 * @param nanoTime the monotonic clock that leases go by
	 */
	InMemoryLock(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

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
			own = new Tenancy(command, bases.next(), this.nanoTime);
			this.tenancies.put(command.tenure(), own);
		}
		return new Granted(own.base, !this.waiters.isEmpty());
	}

	/** Whether a request is of a reader that would be let in now. */
	boolean admitsReader(Acquire command, Predicate<String> isConnected) {
		return command.type().isShared() && inTheWay(command, isConnected) == null;
	}

	private @Nullable Holder inTheWay(Acquire command, Predicate<String> isConnected) {
		if (!this.tenancies.isEmpty() && (!command.isShared() || isHeldAlone())) {
			return describeFirst();
		}
		if (!command.isShared() && command.type() != LockType.FAIR) {
			return null;
		}
		this.waiters.keySet().removeIf(isConnected.negate());
		long place = place(command.waiting(), command.type());
		List<Waiter> ahead = inOrder()
			.filter((waiter) -> !waiter.client.equals(command.tenure().client()) && waiter.place < place)
			.toList();
		if (!command.isShared()) {
			return ahead.isEmpty() ? null : ahead.get(0).describe();
		}
		return inTheWayOfShare(command, ahead);
	}

	/**
	 * Those who have waited longer get theirs first, even if they have not come for it.
	 */
	private @Nullable Holder inTheWayOfShare(Acquire command, List<Waiter> ahead) {
		int taken = this.tenancies.size();
		for (Waiter waiter : ahead) {
			if (!waiter.reads()) {
				if (waiter.permits <= taken || waiter.isAlone()) {
					return this.tenancies.isEmpty() ? waiter.describe() : describeFirst();
				}
				taken++;
			}
		}
		if (!command.isPermit() || taken < command.permits()) {
			return null;
		}
		return this.tenancies.isEmpty() ? ahead.get(0).describe() : describeFirst();
	}

	boolean isHeldAlone() {
		return this.tenancies.values().stream().anyMatch((tenancy) -> !tenancy.shared);
	}

	private Stream<Waiter> inOrder() {
		return this.waiters.values().stream().sorted(Comparator.comparingLong(Waiter::place));
	}

	/** The holder whose lease ends first. */
	private Holder describeFirst() {
		return this.tenancies.values()
			.stream()
			.min(Comparator.comparingLong(Tenancy::remainingNanos))
			.orElseThrow()
			.describe(this.tenancies.size() - 1);
	}

	private Refused refused(Acquire command, Holder holder) {
		OptionalLong place = OptionalLong.empty();
		if (command.waits()) {
			place = OptionalLong.of(waits(command));
		}
		return new Refused(holder, place, micros(), command.isPermit() ? differing(command.permits()) : null);
	}

	private LockBackend.@Nullable PermitHolder differing(int permits) {
		return this.tenancies.values()
			.stream()
			.filter((tenancy) -> tenancy.permits > 1 && tenancy.permits != permits)
			.findAny()
			.map((tenancy) -> new LockBackend.PermitHolder(tenancy.holder, tenancy.permits))
			.orElse(null);
	}

	/** Put a client among the waiters, and return its place. */
	long waits(Acquire command) {
		long place = place(command.waiting(), command.type());
		String client = command.tenure().client();
		Waiting waiting = command.waiting();
		Waiter before = this.waiters.get(client);
		long seen = (before != null) ? before.seen : System.currentTimeMillis() * 1000;
		this.waiters.put(client, new Waiter(client, place, permitsOf(command), command.holder(),
				(waiting != null) ? waiting.requests() : 1, seen));
		return place;
	}

	private static int permitsOf(Acquire command) {
		return command.type().isShared() ? Waiter.READS : command.permits();
	}

	private long place(@Nullable Waiting waiting, LockType type) {
		if (waiting == null) {
			return micros();
		}
		long waited = (type == LockType.FAIR) ? waiting.waited().toNanos() / 1000 : 0;
		return waiting.position().orElse(micros() - waited);
	}

	private long micros() {
		return (this.nanoTime.getAsLong() - EPOCH) / 1000;
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
	 * Those whose turn it is: all leading readers, who are taken from the waiters, and
	 * those for whom there are permits, or one alone, who keep their places until they
	 * ask.
	 * @param yielding what a client waits with that lets others go first
	 */
	List<String> takeNext(Predicate<String> isConnected, @Nullable Acquire yielding) {
		expire();
		List<String> next = new ArrayList<>();
		if (isHeldAlone()) {
			return next;
		}
		List<Waiter> queue = inOrder().toList();
		if (yielding != null && yielding.type() == LockType.FAIR
				&& queue.stream()
					.filter((waiter) -> isConnected.test(waiter.client))
					.allMatch((waiter) -> place(yielding.waiting(), yielding.type()) <= waiter.place)) {
			// It is its own turn again.
			return next;
		}
		int taken = this.tenancies.size();
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
			if (connected && waiter.isAlone()) {
				return next;
			}
		}
		return next;
	}

	/** Who has the lock, and how many wait for it. */
	CurrentHolders occupancy() {
		expire();
		List<LockBackend.CurrentHolder> having = this.tenancies.entrySet()
			.stream()
			.map((entry) -> new LockBackend.CurrentHolder(entry.getKey(), entry.getValue().describe(0),
					entry.getValue().base, entry.getValue().permits))
			.toList();
		return new CurrentHolders(having, queue());
	}

	private LockBackend.WaitQueue queue() {
		return new LockBackend.WaitQueue(this.waiters.values().stream().mapToInt(Waiter::requests).sum(),
				this.waiters.size(), this.waiters.values().stream().mapToLong(Waiter::seen).min().orElse(0));
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
	private record Waiter(String client, long place, int permits, String label, int requests, long seen) {

		/** As many permits as there may be: readers are not limited. */
		static final int READS = Integer.MAX_VALUE;

		boolean reads() {
			return this.permits == READS;
		}

		boolean isAlone() {
			return this.permits == 1;
		}

		Holder describe() {
			return new Holder(this.label, Duration.ZERO, Duration.ofSeconds(1));
		}

	}

	/**
	 * One who has the lock.
	 */
	static final class Tenancy {

		private final String holder;

		private final long base;

		private final LongSupplier nanoTime;

		private final long since;

		private final int permits;

		private boolean shared;

		private long end;

		Tenancy(Acquire command, long base, LongSupplier nanoTime) {
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

		/** Never shorter. */
		void extend(Duration lease) {
			if (lease.toNanos() > remainingNanos()) {
				this.end = this.nanoTime.getAsLong() + lease.toNanos();
			}
		}

		/** Never longer. */
		boolean curtail(Duration rest) {
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
