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
import io.lockstarter.timer.Timer;
import io.lockstarter.engine.event.Callbacks;
import io.lockstarter.engine.event.Listeners;
import io.lockstarter.engine.lease.ClockJumpDetector;
import io.lockstarter.engine.lock.LocalLock;
import io.lockstarter.engine.lock.LockServices;
import io.lockstarter.engine.lock.LockTable;
import io.lockstarter.engine.lock.LostHolds;
import io.lockstarter.engine.lock.MachineTerms;
import io.lockstarter.engine.lock.Watchdog;
import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * The registry over one backend.
 */
public final class DefaultLockRegistry implements LockRegistry, LockMonitor, AutoCloseable {

	private final Callbacks callbacks;

	private final Timer timer;

	private final Commands commands;

	private final Watchdog watchdog;

	private final Listeners listeners;

	private final LockTable locks;

	private final Shutdown shutdown;

	private final Requests requests;

	private final Completions completions;

	private final ClusterView lookout;

	private final LocalView local;

	private final RegistryHealth health;

	private final Registries registries;

	private final String instance;

	private volatile Supplier<@Nullable LockFence> fence = () -> null;

	/**
	 * Open a registry.
	 * @param backend where the locks are kept; stays open when the registry is closed
	 * @param settings the terms where a request names none
	 * @param listeners who hears what happens
	 */
	public DefaultLockRegistry(LockBackend backend, EngineSettings settings, List<LockListener> listeners) {
		this(backend, settings, listeners, List.of());
	}

	/**
	 * Open a registry that is observed.
	 * @param backend where the locks are kept; stays open when the registry is closed
	 * @param settings the terms where a request names none
	 * @param listeners who hears what happens
	 * @param observers who accompanies requests and holds
	 */
	public DefaultLockRegistry(LockBackend backend, EngineSettings settings, List<LockListener> listeners,
			List<LockObserver> observers) {
		this(backend, settings, listeners, observers, CallerContext.NONE);
	}

	/**
	 * Open a registry that takes the context of its callers along.
	 * @param backend where the locks are kept; stays open when the registry is closed
	 * @param settings the terms where a request names none
	 * @param listeners who hears what happens
	 * @param observers who accompanies requests and holds
	 * @param callerContext what goes along to the callbacks of requests for which nobody
	 * waits
	 */
	public DefaultLockRegistry(LockBackend backend, EngineSettings settings, List<LockListener> listeners,
			List<LockObserver> observers, CallerContext callerContext) {
		this(backend, settings, listeners, observers, callerContext, Registries.ONE);
	}

	/**
	 * Open one of several registries.
	 * @param backend where the locks are kept; stays open when the registry is closed
	 * @param settings the terms where a request names none
	 * @param listeners who hears what happens
	 * @param observers who accompanies requests and holds
	 * @param callerContext what goes along to the callbacks of requests for which nobody
	 * waits
	 * @param registries its name, and where requests for others go
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
		ClockJumpDetector leaps = new ClockJumpDetector(System::nanoTime, backend.wallClock()::millis, this::renewAll);
		this.timer = new Timer("lock-timer", leaps::look, this::renewDue);
		this.completions = new Completions(callbacks, callerContext, this.timer, settings.sendsReleases());
		this.listeners = new Listeners(listeners, observers, this.completions::later);
		this.commands = new Commands(backend, this.timer, this::withdrawn);
		this.watchdog = new Watchdog(this.commands);
		LostHolds lostHolds = new LostHolds(settings.interruptOnLoss());
		Commands commands = this.commands;
		Supplier<MachineTerms> terms = MachineTerms
			.shared(() -> new MachineTerms(settings.instance(), settings.handoverLimit(), settings.handoverAge(),
					commands.grantsDirectly() ? MachineTerms.DIRECT_GRANT_LEASE : null, commands.keepOrder(),
					settings.sendsReleases()));
		Completions completions = this.completions;
		this.locks = new LockTable(new LockServices(this.commands, this.timer, this.watchdog, this.listeners, lostHolds,
				commands::nextTenure, (hold) -> new DefaultLockHandle(hold, completions), terms, settings.leaseTime(),
				settings.maxHoldTime()));
		this.shutdown = new Shutdown(this.locks, this.commands, this.timer,
				(hold) -> new DefaultLockHandle(hold, completions).abandon());
		this.requests = new Requests(settings, this.commands, this.locks, lostHolds, this.shutdown,
				new Outcomes(this.listeners, completions), completions);
		this.lookout = new ClusterView(this.commands, completions, this.locks);
		this.local = new LocalView(this.locks);
		this.health = new RegistryHealth(settings.instance(), backend::location, this.commands, this.local);
		this.instance = settings.instance();
		backend.listen(this.locks);
	}

	/** Time has leapt: leases may have ended, or be about to, sooner than reckoned. */
	private void renewAll() {
		this.locks.forEach(LocalLock::renewNow);
	}

	private void renewDue() {
		this.watchdog.renewDue();
	}

	private void withdrawn(String name) {
		this.locks.withdrawn(name);
	}

	/**
	 * Begin to connect to the backend, so that the first lock need not. A failure shows
	 * when a lock is asked for.
	 */
	public void connect() {
		this.commands.connect();
	}

	@Override
	public @Nullable String registry() {
		return this.registries.own();
	}

	@Override
	public NamedLock get(LockRequest request) {
		LockRegistry other = this.registries.other(request);
		return (other != null) ? other.get(request)
				: new DefaultNamedLock(this.requests, this.lookout, this.completions, this.registries.own(request));
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
			MultiHandle.giveBack(taken, ex);
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
	 * Sets what guards fenced work.
	 * @param fence the fence, asked for when it is needed, or {@code null} if there is
	 * none
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
		return this.lookout.look(name);
	}

	@Override
	public CompletableFuture<LockPage> locks(String from, int size) {
		return this.lookout.look(from, size);
	}

	@Override
	public CompletableFuture<Health> health() {
		return this.completions.handOver(this.health.check());
	}

	/**
	 * Names the thread that closes the application. Its own holds are not waited for,
	 * since it cannot release them before the shutdown has ended. By default it is the
	 * thread that calls {@link #shutdown}.
	 * @param thread the thread
	 */
	public void closedBy(Thread thread) {
		this.shutdown.closedBy(thread);
	}

	/**
	 * Prepares for the end: notes from now on whether locks are used. Requests that would
	 * wait for longer than the shutdown takes get {@link LockRegistryClosedException}.
	 * @param longest time after which no more locks are granted in any case: those who
	 * wait get {@link LockRegistryClosedException}, those who hold go on, and are renewed
	 */
	public void beginEnding(Duration longest) {
		this.shutdown.begin(longest);
	}

	/**
	 * Waits, while free locks are still granted, until nobody uses them any more: none is
	 * held, nor has been in a while. Requests that wait for a lock get
	 * {@link LockRegistryClosedException}. Returns at once if no lock was held since
	 * {@link #beginEnding(Duration)}.
	 * @param quiet time for which no lock is to have been held
	 * @param longest how long to wait at most
	 * @throws InterruptedException if the calling thread is interrupted meanwhile
	 */
	public void awaitQuiet(Duration quiet, Duration longest) throws InterruptedException {
		this.shutdown.awaitQuiet(quiet, longest);
	}

	/**
	 * Grant no more locks: those who wait get {@link LockRegistryClosedException}, those
	 * who hold may finish within the drain time and are renewed meanwhile. What is held
	 * after that is not released under its running holder, but expires. What is only kept
	 * for some more time ends soon after that time.
	 * @param drain how long holders may take to finish
	 * @return whether all finished, apart from those that wait for the shutdown
	 * themselves, since they close the application or have called {@link System#exit}
	 * @throws InterruptedException if the calling thread is interrupted while holders
	 * finish
	 */
	public boolean shutdown(Duration drain) throws InterruptedException {
		boolean drained = this.shutdown.awaitHolders(drain);
		this.watchdog.stop();
		this.shutdown.shortenKept();
		return drained;
	}

	/**
	 * End at once: no more grants, renewals or events. Locks still held expire.
	 */
	@Override
	public void close() {
		this.shutdown.end();
		this.watchdog.stop();
		this.timer.close();
		this.listeners.close();
		this.callbacks.close();
		// The JVM may end next.
		LockLog.flush();
	}

}
