package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

import io.lockstarter.core.CallerContext;
import io.lockstarter.core.Holder;
import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockListener.Outcome;
import io.lockstarter.core.LockMonitor;
import io.lockstarter.core.LockObserver;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRegistryClosedException;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockUpgradeException;
import io.lockstarter.core.NamedLock;
import io.lockstarter.core.OneLine;
import io.lockstarter.core.backend.LockBackend;
import org.jspecify.annotations.Nullable;

/**
 * The registry over one backend.
 */
public final class DefaultLockRegistry implements LockRegistry, LockMonitor, AutoCloseable {

	private final EngineSettings settings;

	private final Engine engine;

	private final Lookout lookout;

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
		this(backend, settings, listeners, observers, callerContext, new Callbacks(settings.callbackThreads()));
	}

	DefaultLockRegistry(LockBackend backend, EngineSettings settings, List<LockListener> listeners,
			List<LockObserver> observers, CallerContext callerContext, Callbacks callbacks) {
		this.settings = settings;
		this.engine = new Engine(backend, settings, listeners, observers, callerContext, callbacks);
		this.lookout = new Lookout(this.engine);
	}

	/**
	 * Begin to connect to the backend, so that the first lock need not. A failure shows
	 * when a lock is asked for.
	 */
	public void connect() {
		this.engine.commands().connect();
	}

	@Override
	public NamedLock get(LockRequest request) {
		return new DefaultNamedLock(this, this.lookout, request);
	}

	@Override
	public LockHandle acquire(LockRequest request) throws InterruptedException {
		LockOwner owner = request.owner();
		BlockingWaiter waiter = waiter(request, (owner != null) ? owner : LockOwner.currentThread());
		LockHandle handle = takeInterruptibly(waiter);
		if (handle == null) {
			throw timeout(waiter);
		}
		return handle;
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		LockOwner owner = request.owner();
		CompletableFuture<LockHandle> promise = new CompletableFuture<>();
		Executor context = this.engine.callerContext();
		// Not on the thread that brought the reply: the caller's code may block.
		AsyncWaiter waiter = new AsyncWaiter(request, (owner != null) ? owner : LockOwner.create(request.group()),
				waitTime(request), leaseTime(request),
				(settled) -> this.engine.callback(() -> context.execute(() -> fulfil(promise, settled, context)),
						(refusal) -> refuse(promise, settled, refusal, context)));
		// Whoever completes the promise from outside does not want the lock any more.
		promise.whenComplete((handle, failure) -> giveUp(waiter));
		try {
			enter(waiter);
			waiter.expireBy(this.engine.timer());
		}
		catch (Throwable ex) {
			promise.completeExceptionally(ex);
			throw ex;
		}
		return promise;
	}

	@Override
	public LockHandle acquireAll(Collection<LockRequest> requests) throws InterruptedException {
		JointRequest joint = new JointRequest(requests, LockOwner.currentThread(), this::waitTime);
		List<LockHandle> taken = new ArrayList<>(joint.size());
		try {
			for (int i = 0; i < joint.size(); i++) {
				taken.add(acquire(joint.next(i)));
			}
			return joint.joined(taken);
		}
		catch (Throwable ex) {
			JointHandle.giveBack(taken, ex);
			throw ex;
		}
	}

	@Override
	public CompletableFuture<LockHandle> acquireAllAsync(Collection<LockRequest> requests) {
		JointRequest joint = new JointRequest(requests, LockOwner.create("joint"), this::waitTime);
		return new JointAcquisition(this, joint).start();
	}

	@Override
	public List<Holder> forceRelease(String name) {
		return new Eviction(this.engine, name).run();
	}

	private static void giveUp(Waiter waiter) {
		if (waiter.withdraw()) {
			waiter.refused();
		}
	}

	/** No thread can be had: the lock is given back, and a failure told all the same. */
	private void refuse(CompletableFuture<LockHandle> promise, Waiter waiter, Throwable cause, Executor context) {
		if (waiter.handle() == null) {
			context.execute(() -> fulfil(promise, waiter, context));
		}
		else {
			giveBack(promise, waiter, cause);
		}
	}

	/** Nobody can be told of the lock, so nobody shall have it, unless somebody was. */
	private void giveBack(CompletableFuture<LockHandle> promise, Waiter waiter, Throwable cause) {
		if (promise.isDone() && !promise.isCompletedExceptionally()) {
			return;
		}
		Handle unused = waiter.handle();
		if (unused != null) {
			unused.abandonUntold();
		}
		this.engine.listeners().notAcquired(waiter, Outcome.ERROR);
		promise.completeExceptionally(new LockBackendException(waiter.request().name(),
				LockBackendException.Reason.JVM_EXHAUSTED, String.valueOf(cause.getMessage()), cause));
	}

	private void fulfil(CompletableFuture<LockHandle> promise, Waiter waiter, Executor context) {
		try {
			answer(promise, waiter, context);
		}
		catch (Throwable ex) {
			giveBack(promise, waiter, ex);
		}
	}

	private void answer(CompletableFuture<LockHandle> promise, Waiter waiter, Executor context) {
		Throwable failure = waiter.failure();
		Handle handle = waiter.handle();
		if (failure != null) {
			tellFailure(waiter, failure);
			promise.completeExceptionally(failure);
		}
		else if (handle == null) {
			this.engine.listeners().notAcquired(waiter, promise.isDone() ? Outcome.CANCELLED : Outcome.TIMEOUT);
			promise.completeExceptionally(timeout(waiter));
		}
		else {
			handle.callerContext(context);
			this.engine.listeners().acquired(waiter, handle);
			if (!promise.complete(handle)) {
				handle.abandon();
			}
		}
	}

	BlockingWaiter waiter(LockRequest request, LockOwner owner) {
		return new BlockingWaiter(request, owner, waitTime(request), leaseTime(request));
	}

	private Duration waitTime(LockRequest request) {
		Duration wait = request.waitTime();
		return (wait != null) ? wait : this.settings.waitTime();
	}

	private Duration leaseTime(LockRequest request) {
		Duration lease = request.leaseTime();
		if (lease == null) {
			return this.settings.leaseTime();
		}
		EngineSettings.requireUsable("The lease time of lock '" + OneLine.of(request.name()) + "'", lease);
		return lease;
	}

	/** Take the lock, keeping an interrupt for later. */
	@Nullable Handle take(BlockingWaiter waiter) {
		enter(waiter);
		waiter.await();
		return outcome(waiter);
	}

	/** Take the lock, or withdraw on an interrupt or at the deadline. */
	@Nullable Handle takeInterruptibly(BlockingWaiter waiter) throws InterruptedException {
		try {
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
			enter(waiter);
			waiter.awaitInterruptibly();
		}
		catch (InterruptedException ex) {
			this.engine.listeners().notAcquired(waiter, Outcome.CANCELLED);
			throw ex;
		}
		return outcome(waiter);
	}

	private void enter(Waiter waiter) {
		if (this.engine.listeners().observe() && !isHeld(waiter)) {
			this.engine.listeners().requested(waiter);
		}
		this.engine.enter(waiter);
	}

	private boolean isHeld(Waiter waiter) {
		Hold current = holdOf(waiter.request(), waiter.owner());
		return current != null && current.isValid();
	}

	private @Nullable Handle outcome(Waiter settled) {
		Throwable failure = settled.failure();
		Handle handle = settled.handle();
		if (failure != null) {
			tellFailure(settled, failure);
			throw fromHere(settled, failure);
		}
		if (handle != null) {
			this.engine.listeners().acquired(settled, handle);
		}
		else {
			this.engine.listeners().notAcquired(settled, Outcome.TIMEOUT);
		}
		return handle;
	}

	/** The failure with the stack trace of the thread that is told of it. */
	private static RuntimeException fromHere(Waiter waiter, Throwable failure) {
		if (failure instanceof LockBackendException known) {
			return new LockBackendException(known.lockName(), known.reason(), known.detail(), known.mayHaveRun(),
					known);
		}
		if (failure instanceof LockRegistryClosedException) {
			return new LockRegistryClosedException(waiter.request().name());
		}
		if (failure instanceof LockUpgradeException) {
			return new LockUpgradeException(waiter.request().name(), waiter.owner());
		}
		return new CompletionException(failure);
	}

	private static LockAcquisitionTimeoutException timeout(Waiter waiter) {
		return new LockAcquisitionTimeoutException(waiter.request().name(), waiter.waited(), waiter.holder());
	}

	private void tellFailure(Waiter waiter, Throwable failure) {
		this.engine.listeners()
			.notAcquired(waiter, (failure instanceof LockRegistryClosedException) ? Outcome.CLOSED : Outcome.ERROR);
	}

	@Nullable Hold holdOf(LockRequest request, LockOwner owner) {
		LocalLock lock = this.engine.find(request.name());
		return (lock != null) ? lock.holdOf(owner, request.type().isShared()) : null;
	}

	@Nullable Hold lostHold(LockRequest request, LockOwner owner) {
		return this.engine.lostHold(request, owner);
	}

	@Override
	public List<Held> held() {
		List<Held> held = new ArrayList<>();
		this.engine.forEachLock((lock) -> lock.describe(held::add, (waiting) -> {
		}));
		return held;
	}

	@Override
	public List<Waiting> waiting() {
		List<Waiting> waiting = new ArrayList<>();
		this.engine.forEachLock((lock) -> lock.describe((held) -> {
		}, waiting::add));
		return waiting;
	}

	@Override
	public int heldCount() {
		int[] sum = new int[1];
		this.engine.forEachLock((lock) -> sum[0] += lock.held());
		return sum[0];
	}

	@Override
	public int waitingCount() {
		int[] sum = new int[1];
		this.engine.forEachLock((lock) -> sum[0] += lock.waiting());
		return sum[0];
	}

	@Override
	public CompletableFuture<Sighting> look(String name) {
		return this.lookout.look(name);
	}

	@Override
	public CompletableFuture<Sightings> look(String from, int size) {
		return this.lookout.look(from, size);
	}

	@Override
	public CompletableFuture<Health> health() {
		return this.engine.probe().handle((findings, failure) -> {
			Map<String, Object> details = new LinkedHashMap<>();
			details.put("instance", this.settings.instance());
			long failing = held().stream().filter((held) -> held.watchdog() == Watchdog.FAILING).count();
			details.put("renewalsFailing", failing);
			if (failure != null) {
				details.put("error", String.valueOf(failure.getMessage()));
				return new Health(false, details);
			}
			details.putAll(findings);
			return new Health(failing == 0 && !isSubscriptionBroken(findings), details);
		});
	}

	/** Where messages are refused, locks work without. */
	private static boolean isSubscriptionBroken(Map<String, Object> findings) {
		return "down".equals(findings.get("subscription"))
				&& !String.valueOf(findings.get("messages")).startsWith("refused");
	}

	/**
	 * Prepare for the end: from now on it is noted whether locks are used.
	 * @param longest after which time no more are granted in any case: those who wait get
	 * {@link LockRegistryClosedException}, those who hold go on, and are renewed
	 */
	public void beginEnding(Duration longest) {
		this.engine.beginEnding(longest);
	}

	/**
	 * Wait, while locks are still granted, until nobody uses them any more: none is held
	 * or waited for, nor has been asked for in a while. Returns at once if no lock has
	 * been used since {@link #beginEnding(Duration)}.
	 * @param quiet for how long nobody is to have asked for one
	 * @param longest how long to wait at most
	 * @throws InterruptedException if the calling thread is interrupted meanwhile
	 */
	public void awaitQuiet(Duration quiet, Duration longest) throws InterruptedException {
		this.engine.awaitQuiet(quiet, longest);
	}

	/**
	 * Grant no more locks: those who wait get {@link LockRegistryClosedException}, those
	 * who hold may finish within the drain time and are renewed meanwhile. What is held
	 * after that is not released under its running holder, but expires. What is only kept
	 * for some more time ends soon after that time.
	 * @param drain how long holders may take to finish
	 * @return whether all finished
	 * @throws InterruptedException if the calling thread is interrupted while holders
	 * finish
	 */
	public boolean shutdown(Duration drain) throws InterruptedException {
		this.engine.refuse();
		boolean drained = this.engine.awaitIdle(drain);
		this.engine.watchdog().stop();
		this.engine.curtailKept();
		return drained;
	}

	/**
	 * End at once: no more grants, renewals or events. Locks still held expire.
	 */
	@Override
	public void close() {
		this.engine.close();
	}

}
