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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

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

	private static final long LAST_RETRY_NANOS = Duration.ofSeconds(1).toNanos();

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

	private final AtomicLong sequence = new AtomicLong();

	private volatile boolean closed;

	Engine(LockBackend backend, EngineSettings settings, List<LockListener> listeners) {
		this.backend = backend;
		this.settings = settings;
		this.listeners = new Listeners(listeners);
		this.watchdog = new Watchdog(this, settings.maxHoldTime());
		this.timer = new Timer("lock-timer", this.watchdog::renewDue);
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

	void acquire(LockBackend.Acquire command, BiConsumer<LockBackend.@Nullable Acquisition, @Nullable Throwable> then) {
		await(this.backend.acquire(command), command.lease(), then);
	}

	void release(Release command, Duration lease, BiConsumer<Release.@Nullable Reply, @Nullable Throwable> then) {
		await(this.backend.release(command), lease, then);
	}

	void renew(LockBackend.Renew command, Duration lease, BiConsumer<@Nullable Boolean, @Nullable Throwable> then) {
		await(this.backend.renew(List.of(command)).get(0), lease, then);
	}

	List<CompletableFuture<Boolean>> renew(List<LockBackend.Renew> commands) {
		return this.backend.renew(commands);
	}

	/**
	 * Wait for a reply no longer than the command timeout that goes with a lease.
	 */
	<T> void await(CompletableFuture<T> reply, Duration lease, BiConsumer<@Nullable T, @Nullable Throwable> then) {
		Timer.Task timeout = reply.isDone() ? null
				: this.timer.in(commandTimeoutNanos(lease), () -> reply.cancel(false));
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
				return;
			}
			if (until - System.nanoTime() > pause) {
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
		release(new Release(name, nextTenure(), false), this.settings.leaseTime(), (reply, failure) -> {
			if (failure != null) {
				logger.debug(
						"A wake-up for lock '%s' was not handed on; others will check by themselves".formatted(name),
						failure);
			}
		});
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

	void watch(Hold hold) {
		this.watchdog.watch(hold);
	}

	void unwatch(Hold hold) {
		this.watchdog.unwatch(hold);
	}

	void interrupt(LockOwner owner) {
		Thread thread = owner.thread();
		if (this.settings.interruptOnLoss() && thread != null) {
			thread.interrupt();
		}
	}

	/** Keep a lost hold, so that its owner's release can be told of the loss. */
	void remember(Hold hold) {
		this.lost.put(new Loser(hold.request().name(), hold.owner()), hold);
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
		await(this.backend.probe(), this.settings.leaseTime(), (found, failure) -> {
			if (failure != null) {
				findings.completeExceptionally(translate("health", failure));
			}
			else {
				findings.complete(found);
			}
		});
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
	}

	/**
	 * Who lost what.
	 */
	private record Loser(String name, LockOwner owner) {
	}

}
