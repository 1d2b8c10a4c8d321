package io.lockstarter.engine;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.LockBackend.Release;
import io.lockstarter.core.backend.TenureId;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * What all local locks share: the backend with a timeout on every command, the timer, the
 * watchdog and the listeners.
 */
final class Engine implements LockBackend.WakeListener, AutoCloseable {

	private static final Log logger = LogFactory.getLog(Engine.class);

	private static final long LONGEST_COMMAND_NANOS = Duration.ofSeconds(2).toNanos();

	private static final long FIRST_RETRY_NANOS = Duration.ofMillis(100).toNanos();

	private static final long LAST_RETRY_NANOS = Duration.ofSeconds(5).toNanos();

	private static final int REMEMBERED_LOSSES = 10_000;

	private final LockBackend backend;

	private final EngineSettings settings;

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

	private final ThreadPoolExecutor callbacks;

	private final AtomicLong sequence = new AtomicLong();

	private volatile boolean closed;

	Engine(LockBackend backend, EngineSettings settings, List<LockListener> listeners) {
		this.backend = backend;
		this.settings = settings;
		this.listeners = new Listeners(listeners);
		this.watchdog = new Watchdog(this, settings.maxHoldTime());
		this.timer = new Timer("lock-timer", this.watchdog::renewDue);
		AtomicInteger threads = new AtomicInteger();
		// After the end the callbacks run where they are: nobody may wait for ever.
		this.callbacks = new ThreadPoolExecutor(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(),
				(task) -> {
					Thread thread = new Thread(task, "lock-callback-" + threads.incrementAndGet());
					thread.setDaemon(true);
					return thread;
				}, (task, pool) -> task.run());
		backend.listen(this);
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
		String name = waiter.request().name();
		while (!this.locks.computeIfAbsent(name, (key) -> new LocalLock(this, key)).enter(waiter)) {
			Thread.onSpinWait();
		}
	}

	@Nullable LocalLock find(String name) {
		return this.locks.get(name);
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
	 * Wait until every lock is released and the backend has confirmed it.
	 * @return {@code false} if the time was too short
	 */
	boolean awaitIdle(Duration longest) throws InterruptedException {
		long deadline = System.nanoTime() + longest.toNanos();
		synchronized (this.locks) {
			while (!this.locks.isEmpty()) {
				long remaining = deadline - System.nanoTime();
				if (remaining <= 0) {
					return false;
				}
				TimeUnit.NANOSECONDS.timedWait(this.locks, remaining);
			}
			return true;
		}
	}

	TenureId nextTenure() {
		return new TenureId(this.backend.clientId(), this.sequence.incrementAndGet());
	}

	/** How an owner is shown to other instances. */
	String label(LockOwner owner) {
		return this.settings.instance() + "/" + owner;
	}

	void connect() {
		guarded(this.backend::connect).whenComplete((nothing, failure) -> {
			if (failure != null) {
				logger.info("No connection to the lock backend yet: " + failure.getMessage());
			}
		});
	}

	/**
	 * Ask for a lock. Connecting is not charged to the command: its time starts when it
	 * can be sent.
	 */
	void acquire(LockBackend.Acquire command, AcquireCallback then) {
		CompletableFuture<?> connected = guarded(this.backend::connect);
		if (connected.isDone() && !connected.isCompletedExceptionally()) {
			send(command, then);
			return;
		}
		CompletableFuture<Object> ready = new CompletableFuture<>();
		connected.whenComplete((nothing, failure) -> {
			if (failure != null) {
				ready.completeExceptionally(failure);
			}
			else {
				ready.complete(command);
			}
		});
		await(ready, LONGEST_COMMAND_NANOS, (sendable, failure) -> {
			if (failure != null) {
				then.answered(null, null, unreachable(command.name(), failure));
			}
			else {
				send(command, then);
			}
		});
	}

	private void send(LockBackend.Acquire command, AcquireCallback then) {
		Moment start = Moment.now();
		await(guarded(() -> this.backend.acquire(command)), commandTimeoutNanos(command.lease()),
				(answer, failure) -> then.answered(start, answer, failure));
	}

	private LockBackendException unreachable(String name, Throwable failure) {
		LockBackendException cause = translate(name, failure);
		Reason reason = (cause.reason() == Reason.TIMEOUT || cause.reason() == Reason.OTHER) ? Reason.UNREACHABLE
				: cause.reason();
		return new LockBackendException(name, reason, cause.detail(), cause);
	}

	void release(Release command, Duration lease, BiConsumer<Release.@Nullable Reply, @Nullable Throwable> then) {
		await(guarded(() -> this.backend.release(command)), commandTimeoutNanos(lease), then);
	}

	void renew(LockBackend.Renew command, Duration lease, BiConsumer<@Nullable Boolean, @Nullable Throwable> then) {
		await(renew(List.of(command)).get(0), commandTimeoutNanos(lease), then);
	}

	List<CompletableFuture<Boolean>> renew(List<LockBackend.Renew> commands) {
		try {
			return this.backend.renew(commands);
		}
		catch (RuntimeException ex) {
			return Collections.nCopies(commands.size(), CompletableFuture.failedFuture(ex));
		}
	}

	private static <T> CompletableFuture<T> guarded(Supplier<CompletableFuture<T>> command) {
		try {
			return command.get();
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Wait for a reply no longer than a timeout.
	 */
	<T> void await(CompletableFuture<T> reply, long timeoutNanos, BiConsumer<@Nullable T, @Nullable Throwable> then) {
		Timer.Task timeout = reply.isDone() ? null : this.timer.in(timeoutNanos, () -> reply.cancel(false));
		reply.whenComplete((value, failure) -> {
			if (timeout != null) {
				timeout.cancel();
			}
			try {
				then.accept(value, failure);
			}
			catch (Throwable ex) {
				logger.error("A reply could not be handled", ex);
			}
		});
	}

	static long commandTimeoutNanos(Duration lease) {
		return Math.min(lease.toNanos() / 6, LONGEST_COMMAND_NANOS);
	}

	/**
	 * End a tenure whose state in the backend is unknown, again and again until the
	 * backend confirms it or the lease is over, since then the lock is free by itself.
	 */
	void settle(String name, TenureId tenure, Duration lease) {
		settle(new Release(name, tenure, false), lease, System.nanoTime() + lease.toNanos(), FIRST_RETRY_NANOS);
	}

	private void settle(Release command, Duration lease, long until, long pause) {
		release(command, lease, (reply, failure) -> {
			if (failure == null) {
				recheck(command.name());
			}
			else if (until - System.nanoTime() > pause) {
				this.timer.in(pause, () -> settle(command, lease, until, Math.min(2 * pause, LAST_RETRY_NANOS)));
			}
			else {
				logger.warn("Lock '%s': the backend did not confirm the end of tenure %s while its lease lasted"
					.formatted(command.name(), command.tenure()), failure);
			}
		});
	}

	/** Hand a wake-up on to another client. */
	void passOn(String name) {
		TenureId none = new TenureId(this.backend.clientId(), 0);
		release(new Release(name, none, false), this.settings.leaseTime(), (reply, failure) -> {
			if (failure == null) {
				recheck(name);
			}
			else {
				logger.debug(
						"A wake-up for lock '%s' was not handed on; others will check by themselves".formatted(name),
						failure);
			}
		});
	}

	/** This client was taken out of the waiters: whoever waits here must ask again. */
	private void recheck(String name) {
		LocalLock lock = this.locks.get(name);
		if (lock != null) {
			lock.wake();
		}
	}

	/** Run what belongs to the user, who may block. */
	void callback(Runnable action) {
		this.callbacks.execute(action);
	}

	LockBackendException translate(String name, Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		if (cause instanceof LockBackendException known) {
			return known;
		}
		if (cause instanceof CancellationException) {
			return new LockBackendException(name, Reason.TIMEOUT, "command timeout", null);
		}
		return new LockBackendException(name, Reason.OTHER, cause.toString(), cause);
	}

	void interrupt(LockOwner owner) {
		Thread thread = owner.thread();
		if (this.settings.interruptOnLoss() && thread != null && thread != Thread.currentThread()) {
			thread.interrupt();
		}
	}

	/** Keep a lost hold, so that its owner's release can be told of the loss. */
	void remember(Hold hold) {
		if (hold.owner().isAlive()) {
			this.lost.put(new Loser(hold.request().name(), hold.owner()), hold);
		}
	}

	void forgetLoss(Hold hold) {
		this.lost.remove(new Loser(hold.request().name(), hold.owner()), hold);
	}

	@Nullable Hold lostHold(String name, LockOwner owner) {
		return this.lost.get(new Loser(name, owner));
	}

	@Override
	public void wake(String name) {
		LocalLock lock = this.locks.get(name);
		if (lock != null) {
			lock.wake();
		}
		else {
			passOn(name);
		}
	}

	@Override
	public void wakeAll() {
		forEachLock(LocalLock::wake);
	}

	CompletableFuture<Map<String, Object>> probe() {
		CompletableFuture<Map<String, Object>> findings = new CompletableFuture<>();
		await(guarded(this.backend::probe), LONGEST_COMMAND_NANOS, (found, failure) -> callback(() -> {
			if (failure != null) {
				findings.completeExceptionally(translate("health", failure));
			}
			else {
				findings.complete(found);
			}
		}));
		return findings;
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
		this.watchdog.stop();
		this.timer.close();
		this.listeners.close();
		this.callbacks.shutdown();
	}

	/**
	 * Is told the answer to an acquire.
	 */
	interface AcquireCallback {

		/**
		 * The acquire was answered, or failed.
		 * @param start the moment before it was sent, {@code null} if it never was
		 */
		void answered(@Nullable Moment start, LockBackend.@Nullable Acquisition answer, @Nullable Throwable failure);

	}

	/**
	 * Who lost what.
	 */
	private record Loser(String name, LockOwner owner) {
	}

}
