package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.lockstarter.core.CallerContext;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockObserver;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.TenureId;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The table of local locks, with what they all share.
 */
final class Engine implements LockBackend.WakeListener, AutoCloseable {

	private static final Log logger = LogFactory.getLog(Engine.class);

	private static final int REMEMBERED_LOSSES = 10_000;

	/** Work may end under a lock that is kept, of which nobody is told. */
	private static final long DRAIN_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private final EngineSettings settings;

	private final Commands commands;

	private final Listeners listeners;

	private final Watchdog watchdog;

	private final Timer timer;

	private final ConcurrentMap<String, LocalLock> locks = new ConcurrentHashMap<>();

	private final Map<Loser, Hold> lost = Collections.synchronizedMap(new LinkedHashMap<>() {

		private static final long serialVersionUID = 1L;

		@Override
		protected boolean removeEldestEntry(Map.Entry<Loser, Hold> eldest) {
			return size() > REMEMBERED_LOSSES;
		}

	});

	private final Callbacks callbacks;

	private final CallerContext callerContext;

	/** The end is near: it is noted whether locks are still asked for. */
	private volatile boolean ending;

	private volatile boolean asked;

	private volatile Timer.@Nullable Task longestEnding;

	private volatile boolean closed;

	Engine(LockBackend backend, EngineSettings settings, List<LockListener> listeners, List<LockObserver> observers,
			CallerContext callerContext, Callbacks callbacks) {
		this.settings = settings;
		this.callerContext = new GuardedContext(callerContext);
		this.callbacks = callbacks;
		this.listeners = new Listeners(listeners, observers, this::later);
		Leaps leaps = new Leaps(System::nanoTime, System::currentTimeMillis, () -> forEachLock(LocalLock::hurry));
		this.timer = new Timer("lock-timer", leaps::look, this::renewDue);
		this.commands = new Commands(backend, this.timer, this::recheck);
		this.watchdog = new Watchdog(this.commands, this.timer, this.listeners, settings.maxHoldTime());
		backend.listen(this);
	}

	private void renewDue() {
		this.watchdog.renewDue();
	}

	/** What the machines of names are told once. */
	LockMachine.Terms terms() {
		return new LockMachine.Terms(this.settings.instance(), this.settings.handoverLimit(),
				this.commands.makesOffers(), this.commands.keepOrder());
	}

	EngineSettings settings() {
		return this.settings;
	}

	Commands commands() {
		return this.commands;
	}

	Timer timer() {
		return this.timer;
	}

	Listeners listeners() {
		return this.listeners;
	}

	Watchdog watchdog() {
		return this.watchdog;
	}

	void enter(Waiter waiter) {
		if (this.ending) {
			this.asked = true;
		}
		String name = waiter.request().name();
		LocalLock lock = this.locks.get(name);
		while (lock == null || !lock.enter(waiter)) {
			lock = this.locks.computeIfAbsent(name, (key) -> new LocalLock(this, key));
		}
	}

	@Nullable LocalLock find(String name) {
		return this.locks.get(name);
	}

	/** The locks that are held or waited for here. */
	Set<String> names() {
		return Set.copyOf(this.locks.keySet());
	}

	void forEachLock(Consumer<LocalLock> action) {
		this.locks.values().forEach(action);
	}

	void forget(String name, LocalLock lock) {
		this.locks.remove(name, lock);
		if (this.closed && this.locks.isEmpty()) {
			synchronized (this.locks) {
				this.locks.notifyAll();
			}
		}
	}

	/**
	 * Wait until every lock is released and the backend has confirmed it. Locks that are
	 * only kept for some more time are not waited for: their leases last long enough.
	 * @return {@code false} if the time was too short
	 */
	boolean awaitIdle(Duration longest) throws InterruptedException {
		long deadline = System.nanoTime() + longest.toNanos();
		while (isBusy()) {
			long remaining = deadline - System.nanoTime();
			if (remaining <= 0) {
				return false;
			}
			synchronized (this.locks) {
				if (!this.locks.isEmpty()) {
					TimeUnit.NANOSECONDS.timedWait(this.locks, Math.min(remaining, DRAIN_CHECK_NANOS));
				}
			}
		}
		return true;
	}

	/**
	 * From now on it is noted whether anybody uses locks, and in a while none is granted
	 * any more.
	 */
	void beginEnding(Duration longest) {
		this.ending = true;
		this.longestEnding = this.timer.in(longest.toNanos(), this::refuse);
		if (isBusy()) {
			this.asked = true;
		}
	}

	/**
	 * Wait until nobody uses locks any more: none is held or waited for, nor has been
	 * asked for in a while. Returns at once if nobody has since the end has begun.
	 */
	void awaitQuiet(Duration quiet, Duration longest) throws InterruptedException {
		long deadline = System.nanoTime() + longest.toNanos();
		while (this.asked) {
			this.asked = false;
			long remaining = deadline - System.nanoTime();
			if (remaining <= 0 || !awaitIdle(Duration.ofNanos(remaining))) {
				return;
			}
			awaitRefusal(System.nanoTime() + Math.min(quiet.toNanos(), deadline - System.nanoTime()));
		}
	}

	/** Wait until a time, or until no more locks are granted and all are released. */
	private void awaitRefusal(long deadline) throws InterruptedException {
		synchronized (this.locks) {
			long remaining = deadline - System.nanoTime();
			while (remaining > 0 && !this.closed) {
				TimeUnit.NANOSECONDS.timedWait(this.locks, remaining);
				remaining = deadline - System.nanoTime();
			}
		}
	}

	/**
	 * Not to be asked under the monitor of the table, which comes after those of locks.
	 */
	private boolean isBusy() {
		return !this.locks.values().stream().allMatch(LocalLock::isLeft);
	}

	/**
	 * Let locks that are only kept for some more time end soon after that, and not with
	 * their leases. Nothing may be granted or renewed any more.
	 */
	void curtailKept() throws InterruptedException {
		List<CompletableFuture<?>> told = new ArrayList<>();
		forEachLock((lock) -> lock.left()
			.forEach((tenure) -> told
				.add(this.commands.curtail(tenure.name(), tenure.id(), tenure.keptFor().plus(Handle.LATEST_RELEASE)))));
		try {
			CompletableFuture.allOf(told.toArray(CompletableFuture[]::new))
				.get(Commands.LONGEST_NANOS, TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.debug("Some locks that are kept end only with their leases", ex);
		}
	}

	/** Take along what belongs to the calling thread. */
	Executor callerContext() {
		return this.callerContext.capture();
	}

	/**
	 * Run what belongs to the user, who may block.
	 * @param refused is told instead why no thread can be had
	 */
	void callback(Runnable action, Consumer<Throwable> refused) {
		this.callbacks.run(action, refused);
	}

	/** Complete a promise, which lets go on who waits for it. */
	private static <T> void complete(CompletableFuture<T> promise, @Nullable T value, @Nullable Throwable failure) {
		if (failure != null) {
			promise.completeExceptionally(failure);
		}
		else {
			promise.complete(value);
		}
	}

	/**
	 * Completes as another future, on a thread on which its receiver may block, and fails
	 * with the cause alone.
	 */
	<T> CompletableFuture<T> handOver(CompletableFuture<T> inner) {
		CompletableFuture<T> outer = new CompletableFuture<>();
		inner.whenComplete((value, failure) -> {
			Throwable cause = (failure != null) ? Lookout.cause(failure) : null;
			callback(() -> complete(outer, value, cause), (refusal) -> complete(outer, value, cause));
		});
		return outer;
	}

	/** Try again in a moment what could not be done. */
	void later(Runnable action) {
		this.timer.in(RETRY_NANOS, action);
	}

	/** A thread that it outlives may be at other work. */
	void interrupt(Hold lost) {
		Thread thread = lost.outlivesThread() ? null : lost.owner().thread();
		if (this.settings.interruptOnLoss() && thread != null && thread != Thread.currentThread()) {
			thread.interrupt();
		}
	}

	/** Keep a lost hold, so that its owner's release can be told of the loss. */
	void remember(Hold hold) {
		if (hold.owner().isAlive() && !hold.outlivesThread()) {
			this.lost.put(loser(hold), hold);
		}
	}

	void forgetLoss(Hold hold) {
		this.lost.remove(loser(hold), hold);
	}

	private static Loser loser(Hold hold) {
		return new Loser(hold.request().name(), hold.request().type().isShared(), hold.owner());
	}

	@Nullable Hold lostHold(LockRequest request, LockOwner owner) {
		return this.lost.get(new Loser(request.name(), request.type().isShared(), owner));
	}

	void passOn(String name, TenureId tenure) {
		this.commands.passOn(name, tenure, this.settings.leaseTime());
	}

	/** This client was taken out of the waiters: whoever waits here must ask again. */
	private void recheck(String name) {
		LocalLock lock = this.locks.get(name);
		if (lock != null) {
			lock.withdrawn();
		}
	}

	@Override
	public void wake(String name) {
		LocalLock lock = this.locks.get(name);
		if (lock != null) {
			lock.wake();
		}
		else {
			passOn(name, this.commands.noTenure());
		}
	}

	@Override
	public void granted(String name, LockBackend.Offer offer) {
		LocalLock lock = this.locks.get(name);
		if (lock != null) {
			lock.granted(offer);
		}
		else {
			passOn(name, offer.tenure());
		}
	}

	@Override
	public void wanted(String name) {
		LocalLock lock = this.locks.get(name);
		if (lock != null) {
			lock.contended();
		}
	}

	@Override
	public void ousted(String name) {
		LocalLock lock = this.locks.get(name);
		if (lock != null) {
			lock.verify();
		}
	}

	@Override
	public void wakeAll() {
		forEachLock((lock) -> {
			lock.contended();
			lock.wake();
		});
	}

	CompletableFuture<Map<String, Object>> probe() {
		return handOver(this.commands.probe());
	}

	boolean isClosed() {
		return this.closed;
	}

	/** Grant no more locks, and refuse those who wait. */
	void refuse() {
		this.closed = true;
		forEachLock(LocalLock::close);
	}

	@Override
	public void close() {
		refuse();
		Timer.Task needless = this.longestEnding;
		if (needless != null) {
			needless.cancel();
		}
		this.watchdog.stop();
		this.timer.close();
		this.listeners.close();
		this.callbacks.close();
	}

	/**
	 * Who lost what.
	 */
	private record Loser(String name, boolean reads, LockOwner owner) {
	}

}
