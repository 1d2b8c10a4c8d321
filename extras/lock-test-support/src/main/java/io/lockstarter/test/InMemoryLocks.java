package io.lockstarter.test;

import java.time.Duration;
import java.util.List;

import io.lockstarter.core.CallerContext;
import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockInterruptedException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.EngineSettings;
import io.lockstarter.memory.InMemoryLockBackend;
import io.lockstarter.memory.InMemoryLockStore;
import org.jspecify.annotations.Nullable;

/**
 * Locks in memory for a test. Another instance can compete for them, and the test
 * determines when their leases end. Thread-safe.
 * <p>
 * In a Spring test, the locks are a bean if {@code distributed-lock.backend} is
 * {@code in-memory}, as {@link AutoConfigureInMemoryLocks} sets it. Without Spring,
 * {@link #create()} the locks and pass their {@link #registry()} to the code under test.
 * The annotation {@code @DistributedLock} takes effect only with Spring.
 */
public final class InMemoryLocks implements AutoCloseable {

	/** Wait time of requests without one: 10 s. */
	private static final Duration WAIT_TIME = Duration.ofSeconds(10);

	/** Lease of requests without one: 30 s. */
	private static final Duration LEASE_TIME = Duration.ofSeconds(30);

	/** Maximum number of hand-overs in one instance while the other one waits. */
	private static final int HANDOVER_LIMIT = 64;

	private final LockRegistry registry;

	private final InMemoryLockStore store;

	private final LeaseTime time;

	private final Runnable onClose;

	private @Nullable Instance another;

	/**
	 * Creates a view of the locks of an application, which closes them itself.
	 * @param registry the registry of the application
	 * @param store the store that the other instance shares with the application
	 * @param time the time of the application's leases
	 */
	InMemoryLocks(LockRegistry registry, InMemoryLockStore store, LeaseTime time) {
		this(registry, store, time, () -> {
		});
	}

	private InMemoryLocks(LockRegistry registry, InMemoryLockStore store, LeaseTime time, Runnable onClose) {
		this.registry = registry;
		this.store = store;
		this.time = time;
		this.onClose = onClose;
	}

	/**
	 * Creates locks for a test without Spring, which has to close them. A request without
	 * a wait time waits for 10 seconds, and a request without a lease time gets a lease
	 * of 30 seconds.
	 * @return the locks, none of which is held
	 */
	public static InMemoryLocks create() {
		InMemoryLockStore store = new InMemoryLockStore();
		LockRecorder recorder = new LockRecorder();
		Instance own = Instance.open("test", store, recorder);
		LeaseTime time = new LeaseTime(List.of(own.backend), List.of(own.registry));
		return new InMemoryLocks(own.registry, store, time, () -> {
			own.close();
			recorder.close();
		});
	}

	/**
	 * Returns the registry through which the code under test acquires these locks.
	 * @return the registry
	 */
	public LockRegistry registry() {
		return this.registry;
	}

	/**
	 * Acquires a lock for another instance of the application, which holds the lock until
	 * the returned handle is closed. The lease is renewed.
	 * @param name the lock's name; the lock belongs to the default registry if there are
	 * several registries
	 * @return the hold, which any thread may close
	 * @throws LockAcquisitionTimeoutException if the lock is already held
	 */
	public LockHandle heldByAnother(String name) {
		return heldByAnother(LockRequest.of(name));
	}

	/**
	 * Acquires a lock for another instance of the application, which holds the lock until
	 * the returned handle is closed.
	 * @param request the name and options; a request without a wait time is tried once,
	 * and a request without an owner gets a new one
	 * @return the hold
	 * @throws LockAcquisitionTimeoutException if the lock was not free in time
	 */
	public LockHandle heldByAnother(LockRequest request) {
		LockRequest complete = (request.owner() != null) ? request : request.owner(LockOwner.create("another"));
		if (complete.waitTime() == null) {
			complete = complete.waitTime(Duration.ZERO);
		}
		try {
			return another().registry.acquire(complete);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockInterruptedException(request.name(), request.registry(), ex);
		}
	}

	private synchronized Instance another() {
		Instance instance = this.another;
		if (instance == null) {
			instance = Instance.open("another-instance", this.store);
			this.time.add(instance.registry);
			this.another = instance;
		}
		return instance;
	}

	/**
	 * Advances the time of all leases without waiting. Fixed leases expire, and the
	 * watchdog renews the other leases on the way. Holds grow older.
	 * <p>
	 * When this method returns, the locks whose leases have expired are lost to their
	 * holders and free for others. Listeners and events are notified of a loss
	 * asynchronously, shortly after. Nothing else advances: wait times,
	 * {@code holdAtLeast} and time limits follow the clock of the machine.
	 * @param time the time to add, not negative
	 */
	public void advance(Duration time) {
		this.time.advance(time);
	}

	/**
	 * Advances the time of all leases as if all instances had been suspended, as by a
	 * long garbage collection. Renewed leases expire too if they are shorter than the
	 * pause. In all other respects this method behaves like {@link #advance}.
	 * @param time the duration of the pause, not negative
	 */
	public void pause(Duration time) {
		this.time.leap(time);
	}

	/**
	 * Closes the other instance, whose locks are then no longer renewed. Locks made by
	 * {@link #create()} are closed as well.
	 */
	@Override
	public synchronized void close() {
		Instance instance = this.another;
		if (instance != null) {
			instance.close();
		}
		this.onClose.run();
	}

	/**
	 * Locks of one instance of an application.
	 */
	private record Instance(InMemoryLockBackend backend, DefaultLockRegistry registry) implements AutoCloseable {

		static Instance open(String name, InMemoryLockStore store, LockRecorder... recorders) {
			InMemoryLockBackend backend = new InMemoryLockBackend(store);
			EngineSettings settings = new EngineSettings(name, WAIT_TIME, LEASE_TIME, null, false, HANDOVER_LIMIT);
			return new Instance(backend,
					new DefaultLockRegistry(backend, settings, List.of(), List.of(recorders), CallerContext.NONE));
		}

		@Override
		public void close() {
			this.registry.close();
			this.backend.close();
		}

	}

}
