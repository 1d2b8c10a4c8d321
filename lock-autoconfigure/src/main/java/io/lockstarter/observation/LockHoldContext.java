package io.lockstarter.observation;

import io.lockstarter.core.LockHandle;

/**
 * Context of the observation of a hold.
 */
public final class LockHoldContext extends TimedContext {

	private final LockHandle lock;

	LockHoldContext(LockHandle lock) {
		this.lock = lock;
	}

	/**
	 * Returns the hold.
	 * @return the hold, which may have ended
	 */
	public LockHandle getLock() {
		return this.lock;
	}

	@Override
	LockMeterDocumentation meter() {
		return LockMeterDocumentation.HOLD;
	}

}
