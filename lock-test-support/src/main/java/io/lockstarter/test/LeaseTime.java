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
 * Moves the time by which the leases of locks in memory go.
 */
final class LeaseTime {

	/** Only shows that something hangs. */
	private static final Duration LONGEST_LOOK = Duration.ofSeconds(30);

	private static final Duration SHORTEST_STEP = Duration.ofMillis(1);

	private final List<InMemoryLockStore> stores;

	private final List<LockMonitor> instances;

	LeaseTime(Collection<InMemoryLockBackend> backends, Collection<? extends LockMonitor> instances) {
		this.stores = backends.stream().map(InMemoryLockBackend::store).distinct().toList();
		this.instances = new CopyOnWriteArrayList<>(instances);
	}

	/** Let the leases of another instance be renewed as well. */
	void add(LockMonitor instance) {
		this.instances.add(instance);
	}

	/** Let time pass in steps, between which leases are renewed. */
	void advance(Duration time) {
		Duration left = requireNotNegative(time);
		while (left.compareTo(Duration.ZERO) > 0) {
			Duration step = shorter(left, longestStep());
			leap(step);
			left = left.minus(step);
		}
	}

	/** Half of what is left of the renewed lease that ends first. */
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

	/** Let time pass at once. */
	void leap(Duration time) {
		requireNotNegative(time);
		List<CompletableFuture<?>> looks = this.stores.stream()
			.map((Function<InMemoryLockStore, CompletableFuture<?>>) (store) -> store.advance(time))
			.toList();
		CompletableFuture.allOf(looks.toArray(CompletableFuture[]::new))
			.orTimeout(LONGEST_LOOK.toNanos(), TimeUnit.NANOSECONDS)
			.join();
	}

	private static Duration requireNotNegative(Duration time) {
		if (time.isNegative()) {
			throw new IllegalArgumentException("Time cannot go back, by " + time);
		}
		return time;
	}

	private static Duration shorter(Duration one, Duration other) {
		return (one.compareTo(other) < 0) ? one : other;
	}

}
