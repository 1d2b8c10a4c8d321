package io.lockstarter.observation;

import java.time.Duration;
import java.util.List;

import io.lockstarter.core.LockObserver;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;

/**
 * A registry with observers, beside one that competes with it.
 */
final class ObservedLocks implements AutoCloseable {

	static final LockRequest REQUEST = LockRequest.of("ship:42")
		.metricName("OrderService.ship")
		.waitTime(Duration.ZERO);

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final DefaultLockRegistry registry;

	private final DefaultLockRegistry other = registry("other", List.of());

	ObservedLocks(LockObserver... observers) {
		this.registry = registry("one", List.of(observers));
	}

	private DefaultLockRegistry registry(String instance, List<LockObserver> observers) {
		return new DefaultLockRegistry(new InMemoryLockBackend(this.store),
				new EngineSettings(instance, Duration.ofSeconds(10), Duration.ofSeconds(30), null, false, 64),
				List.of(), observers);
	}

	DefaultLockRegistry registry() {
		return this.registry;
	}

	/** Shares the locks, and is not observed. */
	DefaultLockRegistry other() {
		return this.other;
	}

	@Override
	public void close() {
		this.registry.close();
		this.other.close();
	}

}
