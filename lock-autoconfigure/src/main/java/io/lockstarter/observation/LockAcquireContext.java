package io.lockstarter.observation;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener.Outcome;
import io.lockstarter.core.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * Context of the observation of a request for a lock.
 */
public final class LockAcquireContext extends TimedContext {

	private final LockRequest request;

	private volatile @Nullable LockHandle lock;

	private volatile @Nullable Outcome outcome;

	LockAcquireContext(LockRequest request) {
		this.request = request;
	}

	/**
	 * Returns the request.
	 * @return the request
	 */
	public LockRequest getRequest() {
		return this.request;
	}

	/**
	 * Returns the hold.
	 * @return the hold, or {@code null} if the lock was not acquired or the request waits
	 */
	public @Nullable LockHandle getLock() {
		return this.lock;
	}

	/**
	 * Returns the outcome of a request that ended without its lock.
	 * @return the outcome, or {@code null} if the lock was acquired or the request waits
	 */
	public @Nullable Outcome getOutcome() {
		return this.outcome;
	}

	@Override
	LockMeterDocumentation meter() {
		return LockMeterDocumentation.ACQUIRE;
	}

	void acquired(LockHandle handle) {
		this.lock = handle;
	}

	void notAcquired(Outcome outcome) {
		this.outcome = outcome;
	}

}
