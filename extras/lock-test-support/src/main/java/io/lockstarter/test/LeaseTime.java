package io.lockstarter.test;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockMonitor.Held;
import io.lockstarter.core.LockMonitor.RenewalState;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;

/**
 * Time that the leases of locks in memory follow.
 */
final class LeaseTime {

	/** Maximum time for all clients to check their leases: 30 s. */
	private static final Duration CHECK_TIMEOUT = Duration.ofSeconds(30);

	/** Minimum time between two renewals of a lease: 1 ms. */
	private static final Duration SHORTEST_STEP = Duration.ofMillis(1);

	private final List<InMemoryLockStore> stores;

	private final List<LockMonitor> instances;

	LeaseTime(Collection<InMemoryLockBackend> backends, Collection<? extends LockMonitor> instances) {
		this.stores = backends.stream().map(InMemoryLockBackend::store).distinct().toList();
		this.instances = new CopyOnWriteArrayList<>(instances);
	}

	/** Adds an instance whose leases are renewed as well. */
	void add(LockMonitor instance) {
		this.instances.add(instance);
	}

	/** Advances the time in steps, between which leases are renewed. */
	void advance(Duration time) {
		Duration remaining = requireNotNegative(time);
		while (remaining.compareTo(Duration.ZERO) > 0) {
			Duration step = shorter(remaining, longestStep());
			leap(step);
			remaining = remaining.minus(step);
		}
	}

	/** Returns half of the shortest remaining lease among those that are renewed. */
	private Duration longestStep() {
		Duration half = this.instances.stream()
			.map(LockMonitor::held)
			.flatMap(List::stream)
			.filter((held) -> held.renewal() == RenewalState.RENEWING)
			.map(Held::remainingLease)
			.reduce(LeaseTime::shorter)
			.orElse(Duration.ofNanos(Long.MAX_VALUE))
			.dividedBy(2);
		return (half.compareTo(SHORTEST_STEP) > 0) ? half : SHORTEST_STEP;
	}

	/** Advances the time in one step. */
	void leap(Duration time) {
		requireNotNegative(time);
		List<CompletableFuture<?>> checks = this.stores.stream()
			.map((Function<InMemoryLockStore, CompletableFuture<?>>) (store) -> store.advance(time))
			.toList();
		CompletableFuture.allOf(checks.toArray(CompletableFuture[]::new))
			.orTimeout(CHECK_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS)
			.join();
	}

	private static Duration requireNotNegative(Duration time) {
		if (time.isNegative()) {
			throw new IllegalArgumentException("The time must not be negative, but is " + time);
		}
		return time;
	}

	private static Duration shorter(Duration one, Duration other) {
		return (one.compareTo(other) < 0) ? one : other;
	}

}
