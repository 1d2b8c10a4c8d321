package io.lockstarter.observation;

import io.lockstarter.core.LockHandle;

/**
 * What is known of an observed hold.
 */
public final class LockHoldContext extends TimedContext {

	private final LockHandle lock;

	LockHoldContext(LockHandle lock) {
		this.lock = lock;
	}

	/**
	 * Return the hold.
	 * @return the hold, which may be over
	 */
	public LockHandle getLock() {
		return this.lock;
	}

	@Override
	LockMeterDocumentation meter() {
		return LockMeterDocumentation.HOLD;
	}

}
