package io.lockstarter.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener.Outcome;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.OneLine;
import io.lockstarter.engine.command.Commands;
import io.lockstarter.engine.lease.Lease;
import io.lockstarter.engine.lock.AsyncWaiter;
import io.lockstarter.engine.lock.BlockingWaiter;
import io.lockstarter.engine.lock.Exclusivity;
import io.lockstarter.engine.lock.Hold;
import io.lockstarter.engine.lock.LocalLock;
import io.lockstarter.engine.lock.LockTable;
import io.lockstarter.engine.lock.UnreportedLosses;
import io.lockstarter.engine.lock.Waiter;
import org.jspecify.annotations.Nullable;

/**
 * Entry point of requests for single locks, blocking and asynchronous.
 */
final class Requests {

	private final EngineSettings settings;

	private final Commands commands;

	private final LockTable locks;

	private final UnreportedLosses unreportedLosses;

	private final Shutdown shutdown;

	private final Outcomes outcomes;

	private final Completions completions;

	private final Entrance entrance;

	Requests(EngineSettings settings, Commands commands, LockTable locks, UnreportedLosses unreportedLosses,
			Shutdown shutdown, Outcomes outcomes, Completions completions) {
		this.settings = settings;
		this.commands = commands;
		this.locks = locks;
		this.unreportedLosses = unreportedLosses;
		this.shutdown = shutdown;
		this.outcomes = outcomes;
		this.completions = completions;
		this.entrance = new Entrance(commands, completions);
	}

	LockHandle acquire(LockRequest request) throws InterruptedException {
		LockOwner owner = request.owner();
		BlockingWaiter waiter = waiter(explicit(request), (owner != null) ? owner : LockOwner.currentThread());
		LockHandle handle = takeInterruptibly(waiter);
		if (handle == null) {
			throw Outcomes.timeout(waiter);
		}
		return handle;
	}

	CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		LockOwner owner = request.owner();
		Acquisition acquisition = new Acquisition(this.outcomes, this.completions);
		AsyncWaiter waiter = new AsyncWaiter(explicit(request),
				(owner != null) ? owner : LockOwner.create(request.metricName()), waitTime(request), leaseTime(request),
				(completed) -> {
					noteGrant(completed);
					acquisition.completed(completed);
				});
		this.entrance.enter(() -> acquisition.start(waiter, () -> {
			this.commands.identify();
			enter(waiter);
			waiter.expireBy(this.completions.timer());
		}));
		return acquisition.promise();
	}

	BlockingWaiter waiter(LockRequest request, LockOwner owner) {
		return new BlockingWaiter(request, owner, waitTime(request), leaseTime(request));
	}

	/**
	 * Makes a default wait time of zero explicit, by which observers distinguish a
	 * request that tries once from a request that has waited in vain.
	 */
	private LockRequest explicit(LockRequest request) {
		return (request.waitTime() == null && this.settings.waitTime().isZero()) ? request.waitTime(Duration.ZERO)
				: request;
	}

	/** Returns the wait time of a request. */
	Duration waitTime(LockRequest request) {
		Duration wait = request.waitTime();
		return (wait != null) ? wait : this.settings.waitTime();
	}

	private Duration leaseTime(LockRequest request) {
		Duration lease = request.leaseTime();
		if (lease == null) {
			return this.settings.leaseTime();
		}
		Lease.requireUsable("The lease time of lock '" + OneLine.of(request.name()) + "'", lease);
		return lease;
	}

	/** Acquires the lock, and restores an interrupt afterwards. */
	@Nullable DefaultLockHandle take(BlockingWaiter waiter) {
		enter(waiter);
		waiter.await();
		noteGrant(waiter);
		return this.outcomes.of(waiter);
	}

	/** Acquires the lock, or withdraws the request on an interrupt or at the deadline. */
	@Nullable DefaultLockHandle takeInterruptibly(BlockingWaiter waiter) throws InterruptedException {
		try {
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
			enter(waiter);
			waiter.awaitInterruptibly();
		}
		catch (InterruptedException ex) {
			this.outcomes.notAcquired(waiter, Outcome.CANCELLED);
			throw ex;
		}
		noteGrant(waiter);
		return this.outcomes.of(waiter);
	}

	private void noteGrant(Waiter completed) {
		if (completed.granted() != null) {
			this.shutdown.granted();
		}
	}

	private void enter(Waiter waiter) {
		if (this.outcomes.areObserved() && !isHeld(waiter)) {
			this.outcomes.begin(waiter);
		}
		this.locks.enter(waiter);
	}

	private boolean isHeld(Waiter waiter) {
		Hold current = holdOf(waiter.request(), waiter.owner());
		return current != null && current.isValid();
	}

	/** Returns the hold of an owner, or {@code null} if it has none. */
	@Nullable Hold holdOf(LockRequest request, LockOwner owner) {
		LocalLock lock = this.locks.find(request.name());
		return (lock != null) ? lock.holdOf(owner, Exclusivity.of(request)) : null;
	}

	/**
	 * Returns the lost hold of an owner who has not been notified of the loss, or {@code
	 * null}.
	 */
	@Nullable Hold lostHold(LockRequest request, LockOwner owner) {
		return this.unreportedLosses.of(request, owner);
	}

}
