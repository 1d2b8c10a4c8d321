package io.lockstarter.aop;

import io.lockstarter.core.LockContext;

/**
 * Operation that holds the lock until the stage or future that the method returns is
 * done. The caller does not wait for the lock: the method runs after the acquisition,
 * usually on a thread of the registry.
 */
final class StageOperation implements LockOperation {

	@Override
	public Object invoke(LockCall call) {
		return new LockedFuture(call, LockContext.capture()).start();
	}

}
