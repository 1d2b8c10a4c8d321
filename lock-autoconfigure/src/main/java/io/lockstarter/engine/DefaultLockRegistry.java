package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.lockstarter.core.CallerContext;
import io.lockstarter.core.Holder;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockFence;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockObserver;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRegistryClosedException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.NamedLock;
import io.lockstarter.core.OneLine;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.engine.command.Commands;
import io.lockstarter.engine.event.Callbacks;
import io.lockstarter.engine.event.Listeners;
import io.lockstarter.engine.lease.ClockJumpDetector;
import io.lockstarter.engine.lock.EngineContext;
import io.lockstarter.engine.lock.LocalLock;
import io.lockstarter.engine.lock.LockTable;
import io.lockstarter.engine.lock.MachineSettings;
import io.lockstarter.engine.lock.RenewalBatch;
import io.lockstarter.engine.lock.UnreportedLosses;
import io.lockstarter.logging.LockLog;
import io.lockstarter.timer.Timer;
import org.jspecify.annotations.Nullable;

/**
 * Lock registry over one backend.
 */
public final class DefaultLockRegistry implements LockRegistry, LockMonitor, AutoCloseable {

	private final Callbacks callbacks;

	private final Timer timer;

	private final Commands commands;

	private final RenewalBatch renewals;

	private final Listeners listeners;

	private final LockTable locks;

	private final Shutdown shutdown;

	private final Requests requests;

	private final Completions completions;

	private final ClusterView cluster;

	private final LocalView local;

	private final RegistryHealth health;

	private final Registries registries;

	private final String instance;

	private volatile Supplier<@Nullable LockFence> fence = () -> null;

	/**
	 * Opens a registry.
	 * @param backend the store of the locks; closing the registry does not close it
	 * @param settings the defaults of requests
	 * @param listeners the listeners of lock events
	 */
	public DefaultLockRegistry(LockBackend backend, EngineSettings settings, List<LockListener> listeners) {
		this(backend, settings, listeners, List.of());
	}

	/**
	 * Opens a registry with observers.
	 * @param backend the store of the locks; closing the registry does not close it
	 * @param settings the defaults of requests
	 * @param listeners the listeners of lock events
	 * @param observers the observers of requests and holds
	 */
	public DefaultLockRegistry(LockBackend backend, EngineSettings settings, List<LockListener> listeners,
			List<LockObserver> observers) {
		this(backend, settings, listeners, observers, CallerContext.NONE);
	}

	/**
	 * Opens a registry that propagates the context of its callers.
	 * @param backend the store of the locks; closing the registry does not close it
	 * @param settings the defaults of requests
	 * @param listeners the listeners of lock events
	 * @param observers the observers of requests and holds
	 * @param callerContext the context that callbacks of asynchronous requests inherit
	 */
	public DefaultLockRegistry(LockBackend backend, EngineSettings settings, List<LockListener> listeners,
			List<LockObserver> observers, CallerContext callerContext) {
		this(backend, settings, listeners, observers, callerContext, Registries.ONE);
	}

	/**
	 * Opens one of several registries.
	 * @param backend the store of the locks; closing the registry does not close it
	 * @param settings the defaults of requests
	 * @param listeners the listeners of lock events
	 * @param observers the observers of requests and holds
	 * @param callerContext the context that callbacks of asynchronous requests inherit
	 * @param registries the name of this registry, and access to the others
	 */
	public DefaultLockRegistry(LockBackend backend, EngineSettings settings, List<LockListener> listeners,
			List<LockObserver> observers, CallerContext callerContext, Registries registries) {
		this(backend, settings, listeners, observers, callerContext, registries,
				new Callbacks(settings.callbackThreads()));
	}

	DefaultLockRegistry(LockBackend backend, EngineSettings settings, List<LockListener> listeners,
			List<LockObserver> observers, CallerContext callerContext, Registries registries, Callbacks callbacks) {
		this.registries = registries;
		this.callbacks = callbacks;
		ClockJumpDetector clockJumps = new ClockJumpDetector(System::nanoTime, backend.wallClock()::millis,
				this::renewAll);
		this.timer = new Timer("lock-timer", clockJumps::check, this::renewDue);
		this.completions = new Completions(callbacks, callerContext, this.timer, settings.sendsReleases());
		this.listeners = new Listeners(listeners, observers, this.completions::later);
		this.commands = new Commands(backend, this.timer, this::withdrawn);
		this.renewals = new RenewalBatch(this.commands);
		UnreportedLosses unreportedLosses = new UnreportedLosses(settings.interruptOnLoss());
		Commands commands = this.commands;
		Supplier<MachineSettings> machineSettings = MachineSettings
			.shared(() -> new MachineSettings(settings.instance(), settings.handoverLimit(), settings.handoverAge(),
					commands.grantsDirectly() ? MachineSettings.DIRECT_GRANT_LEASE : null, commands.keepOrder(),
					settings.sendsReleases()));
		Completions completions = this.completions;
		this.locks = new LockTable(new EngineContext(this.commands, this.timer, this.renewals, this.listeners,
				unreportedLosses, commands::nextTenure, (hold) -> new DefaultLockHandle(hold, completions),
				machineSettings, settings.leaseTime(), settings.maxHoldTime()));
		this.shutdown = new Shutdown(this.locks, this.commands, this.timer,
				(hold) -> new DefaultLockHandle(hold, completions).abandon());
		this.requests = new Requests(settings, this.commands, this.locks, unreportedLosses, this.shutdown,
				new Outcomes(this.listeners, completions), completions);
		this.cluster = new ClusterView(this.commands, completions, this.locks);
		this.local = new LocalView(this.locks);
		this.health = new RegistryHealth(settings.instance(), backend::location, this.commands, this.local);
		this.instance = settings.instance();
		backend.listen(this.locks);
	}

	/**
	 * Renews all leases after the wall clock has jumped forward, because leases may
	 * expire sooner than scheduled.
	 */
	private void renewAll() {
		this.locks.forEach(LocalLock::renewNow);
	}

	private void renewDue() {
		this.renewals.renewDue();
	}

	private void withdrawn(String name) {
		this.locks.withdrawn(name);
	}

	/**
	 * Begins to connect to the backend, so that the first request finds a connection. A
	 * failure surfaces when a lock is requested.
	 */
	public void connect() {
		this.commands.connect();
	}

	/** Closes the connections to the backend. The next request opens others. */
	public void disconnect() {
		this.commands.disconnect();
	}

	@Override
	public @Nullable String registry() {
		return this.registries.own();
	}

	@Override
	public NamedLock get(LockRequest request) {
		LockRegistry other = this.registries.other(request);
		return (other != null) ? other.get(request)
				: new DefaultNamedLock(this.requests, this.cluster, this.completions, this.registries.own(request));
	}

	@Override
	public LockHandle acquire(LockRequest request) throws InterruptedException {
		LockRegistry other = this.registries.other(request);
		return (other != null) ? other.acquire(request) : this.requests.acquire(this.registries.own(request));
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		return Completions.guarded(() -> {
			LockRegistry other = this.registries.other(request);
			return (other != null) ? other.acquireAsync(request)
					: this.requests.acquireAsync(this.registries.own(request));
		});
	}

	@Override
	public LockHandle acquireAll(Collection<LockRequest> requests) throws InterruptedException {
		LockRegistry other = this.registries.other(requests);
		if (other != null) {
			return other.acquireAll(requests);
		}
		MultiRequest joint = new MultiRequest(requests, LockOwner.currentThread(), this.requests::waitTime);
		List<LockHandle> taken = new ArrayList<>(joint.size());
		try {
			for (int i = 0; i < joint.size(); i++) {
				taken.add(acquire(joint.next(i)));
			}
			return joint.joined(taken);
		}
		catch (Throwable ex) {
			MultiHandle.releaseUnused(taken, ex);
			throw ex;
		}
	}

	@Override
	public CompletableFuture<LockHandle> acquireAllAsync(Collection<LockRequest> requests) {
		return Completions.guarded(() -> {
			LockRegistry other = this.registries.other(requests);
			if (other != null) {
				return other.acquireAllAsync(requests);
			}
			List<LockRequest> own = requests.stream().map(this.registries::own).toList();
			MultiRequest joint = new MultiRequest(own, LockOwner.create("joint"), this.requests::waitTime);
			return new MultiAcquisition(this.requests, joint).start();
		});
	}

	/**
	 * Sets the fence that verifies fenced work.
	 * @param fence supplies the fence when it is needed, or {@code null} if there is none
	 */
	public void fence(Supplier<@Nullable LockFence> fence) {
		this.fence = fence;
	}

	@Override
	public <T extends @Nullable Object, E extends Exception> T execute(LockRequest request, LockedCallable<T, E> work)
			throws E, InterruptedException {
		LockRegistry other = this.registries.other(request);
		if (other != null) {
			return other.execute(request, work);
		}
		if (!request.isFenced()) {
			return LockRegistry.super.execute(request, work);
		}
		String user = "Work under lock '%s'".formatted(OneLine.of(request.name()));
		LockFence fence = LockFence.require(this.fence.get(), user);
		return LockRegistry.super.execute(request.fenced(false), () -> {
			try (LockFence.Guard guard = fence.guard(LockContext.current(), user)) {
				T result = work.call();
				guard.succeeded();
				return result;
			}
		});
	}

	@Override
	public List<Holder> forceRelease(String name) {
		return new ForcedRelease(this.commands, name, () -> this.locks.forceReleased(name)).run();
	}

	@Override
	public String instance() {
		return this.instance;
	}

	@Override
	public List<Held> held() {
		return this.local.held();
	}

	@Override
	public List<Waiting> waiting() {
		return this.local.waiting();
	}

	@Override
	public int heldCount() {
		return this.local.heldCount();
	}

	@Override
	public int waitingCount() {
		return this.local.waitingCount();
	}

	@Override
	public CompletableFuture<LockSnapshot> inspect(String name) {
		return this.cluster.inspect(name);
	}

	@Override
	public CompletableFuture<LockPage> locks(String from, int size) {
		return this.cluster.locks(from, size);
	}

	@Override
	public CompletableFuture<Health> health() {
		return this.completions.handOver(this.health.check());
	}

	/**
	 * Sets the thread that closes the application. The shutdown does not wait for the
	 * holds of this thread, because the thread cannot release them before the shutdown
	 * has ended. By default it is the thread that calls {@link #shutdown}.
	 * @param thread the thread
	 */
	public void closedBy(Thread thread) {
		this.shutdown.closedBy(thread);
	}

	/**
	 * Prepares for the shutdown, and begins to record whether locks are used. Requests
	 * whose wait time exceeds the shutdown fail with {@link LockRegistryClosedException}.
	 * @param longest the time after which no more locks are granted: waiting requests
	 * then fail with {@link LockRegistryClosedException}, while holders continue and
	 * their leases are renewed
	 */
	public void beginEnding(Duration longest) {
		this.shutdown.begin(longest);
	}

	/**
	 * Waits until no lock has been held for a while. Free locks are still granted, and
	 * requests that wait for a held lock fail with {@link LockRegistryClosedException}.
	 * Returns at once if no lock was held since {@link #beginEnding(Duration)}.
	 * @param quiet the time for which no lock must have been held
	 * @param longest the maximum time to wait
	 * @throws InterruptedException if the calling thread is interrupted while it waits
	 */
	public void awaitQuiet(Duration quiet, Duration longest) throws InterruptedException {
		this.shutdown.awaitQuiet(quiet, longest);
	}

	/**
	 * Stops granting locks, and waits for holders. Waiting requests fail with
	 * {@link LockRegistryClosedException}. Holders may finish within the drain time, and
	 * their leases are renewed until then. A lock that is still held afterwards is not
	 * released while its holder works, but expires. A lock that is only held until a
	 * minimum time has passed expires soon after that time.
	 * @param drain the time within which holders may finish
	 * @return whether all holders finished, apart from those that wait for the shutdown
	 * themselves, because they close the application or have called {@link System#exit}
	 * @throws InterruptedException if the calling thread is interrupted while holders
	 * finish
	 */
	public boolean shutdown(Duration drain) throws InterruptedException {
		boolean drained = this.shutdown.awaitHolders(drain);
		this.renewals.stop();
		this.shutdown.shortenKept();
		return drained;
	}

	/**
	 * Closes the registry at once: no lock is granted, no lease is renewed and no event
	 * is published any longer. Locks that are still held expire.
	 */
	@Override
	public void close() {
		this.shutdown.end();
		this.renewals.stop();
		this.timer.close();
		this.listeners.close();
		this.callbacks.close();
		// The JVM may exit before the log is written.
		LockLog.flush();
	}

}
