package io.lockstarter.engine;

import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockNotHeldException;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.NamedLock;
import io.lockstarter.core.OneLine;
import io.lockstarter.engine.lock.Hold;
import org.jspecify.annotations.Nullable;

/**
 * Lock of one request that offers the methods of {@link java.util.concurrent.locks.Lock}.
 */
final class DefaultNamedLock implements NamedLock {

	private final Requests requests;

	private final ClusterView cluster;

	private final Completions completions;

	private final LockRequest request;

	DefaultNamedLock(Requests requests, ClusterView cluster, Completions completions, LockRequest request) {
		this.requests = requests;
		this.cluster = cluster;
		this.completions = completions;
		this.request = request;
	}

	@Override
	public String name() {
		return this.request.name();
	}

	@Override
	public void lock() {
		this.requests.take(this.requests.waiter(waiting(LockRequest.FOREVER), owner()));
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		this.requests.takeInterruptibly(this.requests.waiter(waiting(LockRequest.FOREVER), owner()));
	}

	@Override
	public boolean tryLock() {
		return this.requests.take(this.requests.waiter(waiting(Duration.ZERO), owner())) != null;
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		Duration wait = Duration.ofNanos(Math.max(0, unit.toNanos(time)));
		return this.requests.takeInterruptibly(this.requests.waiter(waiting(wait), owner())) != null;
	}

	private LockRequest waiting(Duration wait) {
		return this.request.waitTime(wait);
	}

	private LockOwner owner() {
		LockOwner owner = this.request.owner();
		return (owner != null) ? owner : LockOwner.currentThread();
	}

	@Override
	public void unlock() {
		Hold hold = heldOrLost();
		this.completions.endRelease(hold.lock().release(hold, null), this.completions::context);
	}

	private Hold heldOrLost() {
		LockOwner owner = owner();
		Hold hold = this.requests.holdOf(this.request, owner);
		if (hold == null) {
			hold = this.requests.lostHold(this.request, owner);
		}
		if (hold == null) {
			throw new LockNotHeldException(this.request, owner);
		}
		return hold;
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException(
				"Lock '%s' has no conditions: waiting for one would release the lock, and no other process could be"
					.formatted(OneLine.of(name()))
						+ " trusted to signal it. Use a message queue or a semaphore instead");
	}

	@Override
	public int holdCount() {
		Hold hold = valid();
		return (hold != null) ? hold.count() : 0;
	}

	@Override
	public boolean isHeldByCurrentOwner() {
		return valid() != null;
	}

	@Override
	public Duration remainingLease() {
		Hold hold = valid();
		return (hold != null) ? hold.remainingLease() : Duration.ZERO;
	}

	@Override
	public boolean isLocked() {
		return !this.cluster.holders(name()).isEmpty();
	}

	@Override
	public Optional<Duration> remainingLeaseOfHolder() {
		return this.cluster.holders(name()).stream().map(Holder::remainingLease).max(Comparator.naturalOrder());
	}

	@Override
	public Optional<LockLoss> loss() {
		LockOwner owner = owner();
		Hold hold = this.requests.holdOf(this.request, owner);
		if (hold != null && hold.isValid()) {
			return Optional.empty();
		}
		if (hold != null) {
			hold.lock().loseExpired();
		}
		Hold lost = this.requests.lostHold(this.request, owner);
		return (lost != null) ? Optional.ofNullable(lost.loss()) : Optional.empty();
	}

	@Override
	public void extend(Duration lease) {
		DefaultLockHandle.extend(heldOrLost(), lease);
	}

	@Override
	public long fencingToken() {
		LockOwner owner = owner();
		Hold hold = this.requests.holdOf(this.request, owner);
		if (hold == null) {
			throw new LockNotHeldException(this.request, owner);
		}
		return hold.token();
	}

	private @Nullable Hold valid() {
		Hold hold = this.requests.holdOf(this.request, owner());
		return (hold != null && hold.isValid()) ? hold : null;
	}

	@Override
	public String toString() {
		return "NamedLock '" + name() + "'";
	}

}
