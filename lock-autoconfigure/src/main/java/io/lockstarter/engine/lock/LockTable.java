package io.lockstarter.engine.lock;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.TenureId;
import org.jspecify.annotations.Nullable;

/**
 * Table of the locks in use in this JVM, which receives the messages of the backend.
 */
public final class LockTable implements LockBackend.WakeListener {

	/**
	 * Interval between checks for holders that have finished: 50 ms. Work under a lock
	 * that is held until a minimum time has passed ends without a notification.
	 */
	private static final long DRAIN_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private final EngineContext context;

	private final ConcurrentMap<String, LocalLock> locks = new ConcurrentHashMap<>();

	private volatile boolean closed;

	public LockTable(EngineContext context) {
		this.context = context;
	}

	/** Adds a request to the lock of its name. */
	public void enter(Waiter waiter) {
		String name = waiter.request().name();
		LocalLock lock = this.locks.get(name);
		while (lock == null || !lock.enter(waiter)) {
			lock = this.locks.computeIfAbsent(name, this::open);
		}
	}

	private LocalLock open(String name) {
		return new LocalLock(this.context, name, this);
	}

	/** Removes a lock of which nothing is left in this JVM. */
	void retire(LocalLock lock) {
		this.locks.remove(lock.name(), lock);
		if (this.closed && this.locks.isEmpty()) {
			synchronized (this.locks) {
				this.locks.notifyAll();
			}
		}
	}

	public @Nullable LocalLock find(String name) {
		return this.locks.get(name);
	}

	/** Returns the names of the locks that this JVM holds or waits for. */
	public Set<String> names() {
		return Set.copyOf(this.locks.keySet());
	}

	public void forEach(Consumer<LocalLock> action) {
		this.locks.values().forEach(action);
	}

	/** Returns whether no more locks are granted. */
	public boolean isClosed() {
		return this.closed;
	}

	/** Stops granting locks, and refuses waiting requests. */
	public void close() {
		this.closed = true;
		forEach(LocalLock::close);
	}

	/** Refuses requests that wait for others to release their locks. */
	public void refuseWaiting(Predicate<Waiter> meant) {
		forEach((lock) -> lock.refuseWaiting(meant));
	}

	/**
	 * Returns whether work runs under a lock, in one of the holds that a filter selects.
	 */
	public boolean isAtWork(Predicate<Hold> meant) {
		return this.locks.values().stream().anyMatch((lock) -> lock.isAtWork(meant));
	}

	/**
	 * Returns whether every lock is released and the backend has confirmed it, apart from
	 * holds that are only held until a minimum time has passed or that the filter does
	 * not select.
	 */
	public boolean isIdle(Predicate<Hold> meant) {
		return this.locks.values().stream().allMatch((lock) -> lock.isLeft(meant));
	}

	/**
	 * Waits until a condition on the locks is met. The condition is not checked under the
	 * monitor of the table, because that monitor is acquired after those of the locks.
	 * @return {@code false} if the deadline passed first
	 */
	public boolean await(BooleanSupplier condition, long deadline) throws InterruptedException {
		while (!condition.getAsBoolean()) {
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

	/** Waits until a deadline, or until no more locks are granted. */
	public void awaitEnd(long deadline) throws InterruptedException {
		synchronized (this.locks) {
			long remaining = deadline - System.nanoTime();
			while (remaining > 0 && !this.closed) {
				TimeUnit.NANOSECONDS.timedWait(this.locks, remaining);
				remaining = deadline - System.nanoTime();
			}
		}
	}

	@Override
	public void wake(String name) {
		LocalLock lock = this.locks.get(name);
		if (lock != null) {
			lock.wake();
		}
		else {
			leave(name, this.context.commands().noTenure(), true);
		}
	}

	@Override
	public void granted(String name, LockBackend.DirectGrant offer) {
		LocalLock lock = this.locks.get(name);
		if (lock != null) {
			lock.granted(offer);
		}
		else {
			leave(name, offer.tenure(), false);
		}
	}

	private void leave(String name, TenureId tenure, boolean replied) {
		this.context.commands().leave(name, tenure, replied, this.context.leaseTime());
	}

	@Override
	public void contended(String name) {
		LocalLock lock = this.locks.get(name);
		if (lock != null) {
			lock.contended();
		}
	}

	@Override
	public void forceReleased(String name) {
		LocalLock lock = this.locks.get(name);
		if (lock != null) {
			lock.verifyForceRelease();
		}
	}

	/** Handles the removal of this client from the waiters for a lock by a command. */
	public void withdrawn(String name) {
		LocalLock lock = this.locks.get(name);
		if (lock != null) {
			lock.withdrawn();
		}
	}

	@Override
	public void messagesMissed() {
		forEach((lock) -> {
			lock.contended();
			lock.wake();
		});
	}

	@Override
	public CompletableFuture<?> clockAdvanced() {
		forEach((lock) -> {
			lock.renewNow();
			lock.wake();
		});
		return this.context.timer().caughtUp();
	}

}
