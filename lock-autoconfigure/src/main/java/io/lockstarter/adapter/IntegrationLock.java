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
 * A lock of Spring Integration, owned by the thread that takes it.
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
		entering(this.request).lock();
	}

	/** A re-entry goes by the lease of the outermost locking. */
	@Override
	public void lock(Duration ttl) {
		entering(this.request.leaseTime(ttl)).lock();
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		entering(this.request).lockInterruptibly();
	}

	@Override
	public boolean tryLock() {
		return entering(this.request).tryLock();
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return entering(this.request).tryLock(time, unit);
	}

	/** A re-entry goes by the lease of the outermost locking. */
	@Override
	public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
		return entering(this.request.leaseTime(ttl)).tryLock(TimeUnit.NANOSECONDS.convert(waitTime),
				TimeUnit.NANOSECONDS);
	}

	/**
	 * Locking again is how Spring Integration's leader makes sure that it still leads,
	 * and it unlocks at once when it does. A lock taken anew after a loss would tell it
	 * so, and be gone with that unlock.
	 */
	private NamedLock entering(LockRequest terms) {
		NamedLock lock = this.registry.get(terms);
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

	/** Each obtained lock is a view of its own, so those of one key have to be equal. */
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
