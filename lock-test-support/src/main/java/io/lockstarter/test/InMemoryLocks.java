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
 * The locks of a test: in memory, with another instance that competes for them, and with
 * leases that end when the test says so. Thread-safe.
 * <p>
 * In a Spring test it is a bean where {@code distributed-lock.backend} is
 * {@code in-memory}, as {@link AutoConfigureInMemoryLocks} makes it. Without Spring,
 * {@link #create()} it and give its {@link #registry()} to the code under test; the
 * annotation {@code @DistributedLock} takes effect only with Spring.
 */
public final class InMemoryLocks implements AutoCloseable {

	private static final Duration WAIT_TIME = Duration.ofSeconds(10);

	private static final Duration LEASE_TIME = Duration.ofSeconds(30);

	private static final int HANDOVER_LIMIT = 64;

	private final LockRegistry registry;

	private final InMemoryLockStore store;

	private final LeaseTime time;

	private final Runnable onClose;

	private @Nullable Instance another;

	/**
	 * Use the locks of an application, which closes them.
	 * @param registry takes locks for the application
	 * @param store where the other instance takes locks
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
	 * Make locks for a test without Spring, with a wait time of 10 seconds and leases of
	 * 30 seconds where a request names none. To be closed after the test.
	 * @return the locks, of which none is held
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
	 * Return the registry that takes these locks for the code under test.
	 * @return the registry
	 */
	public LockRegistry registry() {
		return this.registry;
	}

	/**
	 * Hold a lock for another instance of the application, until the returned handle is
	 * closed. The lease is renewed.
	 * @param name the lock's name, of the default registry if there are several
	 * @return the hold, which any thread may close
	 * @throws LockAcquisitionTimeoutException if the lock is held already
	 */
	public LockHandle heldByAnother(String name) {
		return heldByAnother(LockRequest.of(name));
	}

	/**
	 * Hold a lock for another instance of the application, until the returned handle is
	 * closed.
	 * @param request the lock and its terms; without a wait time it is tried once, and
	 * without an owner it gets one of its own
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
	 * Let time pass for all leases, without waiting: fixed leases end, and the watchdog
	 * renews those that it renews on the way. Holds grow older.
	 * <p>
	 * When this method returns, the locks whose leases have ended are lost to their
	 * holders and free for others. Listeners and events tell of a loss on threads of
	 * their own, soon after. Nothing else moves: wait times, {@code holdAtLeast} and time
	 * limits go by the clock of the machine.
	 * @param time how much time
	 */
	public void advance(Duration time) {
		this.time.advance(time);
	}

	/**
	 * Let time pass as if all instances had stood still meanwhile, as in a long garbage
	 * collection: leases that are shorter end, renewed ones too. Otherwise like
	 * {@link #advance}.
	 * @param time how much time
	 */
	public void pause(Duration time) {
		this.time.leap(time);
	}

	/**
	 * Close the other instance, whose locks are then no longer renewed, and all that
	 * {@link #create()} has made.
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
	 * An instance of an application, as far as its locks go.
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
