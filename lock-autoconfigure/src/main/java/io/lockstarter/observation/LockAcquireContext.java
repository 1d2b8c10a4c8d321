package io.lockstarter.observation;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener.Outcome;
import io.lockstarter.core.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * What is known of an observed request for a lock.
 */
public final class LockAcquireContext extends TimedContext {

	private final LockRequest request;

	private volatile @Nullable LockHandle lock;

	private volatile @Nullable Outcome outcome;

	LockAcquireContext(LockRequest request) {
		this.request = request;
	}

	/**
	 * Return what is asked for.
	 * @return the request
	 */
	public LockRequest getRequest() {
		return this.request;
	}

	/**
	 * Return the hold.
	 * @return the hold, or {@code null} if the lock was not acquired, or not yet
	 */
	public @Nullable LockHandle getLock() {
		return this.lock;
	}

	/**
	 * Return how the request ended without its lock.
	 * @return the outcome, or {@code null} if the lock was acquired, or nothing is
	 * decided yet
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

	void notAcquired(Outcome how) {
		this.outcome = how;
	}

}
