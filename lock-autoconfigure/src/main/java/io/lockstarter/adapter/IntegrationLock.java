package io.lockstarter.adapter;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.NamedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.integration.support.locks.DistributedLock;

/**
 * Lock of Spring Integration, owned by the thread that acquires it.
 */
final class IntegrationLock implements DistributedLock {

	private final LockRegistry registry;

	private final LockRequest request;

	IntegrationLock(LockRegistry registry, LockRequest request) {
		this.registry = registry;
		this.request = request;
	}

	@Override
	public void lock() {
		requireNotLost(this.request).lock();
	}

	/**
	 * Acquires the lock with a lease. A re-entry keeps the lease of the outermost hold.
	 */
	@Override
	public void lock(Duration ttl) {
		requireNotLost(this.request.leaseTime(ttl)).lock();
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		requireNotLost(this.request).lockInterruptibly();
	}

	@Override
	public boolean tryLock() {
		return requireNotLost(this.request).tryLock();
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return requireNotLost(this.request).tryLock(time, unit);
	}

	/**
	 * Acquires the lock with a lease. A re-entry keeps the lease of the outermost hold.
	 */
	@Override
	public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
		return requireNotLost(this.request.leaseTime(ttl)).tryLock(TimeUnit.NANOSECONDS.convert(waitTime),
				TimeUnit.NANOSECONDS);
	}

	/**
	 * Returns the lock, unless the calling thread has lost it. Spring Integration's
	 * leader re-enters its lock in order to check that it still leads, and unlocks at
	 * once. After a loss, a new acquisition would confirm its leadership and end with
	 * that unlock.
	 */
	private NamedLock requireNotLost(LockRequest options) {
		NamedLock lock = this.registry.get(options);
		lock.loss().ifPresent((loss) -> {
			throw new LockLostException(loss);
		});
		return lock;
	}

	@Override
	public void unlock() {
		this.registry.get(this.request).unlock();
	}

	@Override
	public Condition newCondition() {
		return this.registry.get(this.request).newCondition();
	}

	/**
	 * Returns whether the other lock has the same key. Each obtained lock is a separate
	 * view.
	 */
	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof IntegrationLock lock && lock.registry.equals(this.registry)
				&& lock.request.equals(this.request);
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.registry, this.request);
	}

	@Override
	public String toString() {
		return "IntegrationLock '" + this.request.name() + "'";
	}

}
