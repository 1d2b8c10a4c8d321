package io.lockstarter.engine.lock;

import java.time.Duration;

import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.lease.Moment;

/**
 * A request of a test, which is told nothing: whoever drives the machine looks at the
 * effects.
 */
final class WalkWaiter extends Waiter {

	private final String label;

	private final boolean thread;

	WalkWaiter(String label, LockRequest request, LockOwner owner, Duration lease, boolean thread, Moment now) {
		super(request, owner, request.waitTime(), lease, now.nanos());
		this.label = label;
		this.thread = thread;
	}

	@Override
	void completed() {
		throw new UnsupportedOperationException("Nobody waits for it");
	}

	@Override
	boolean hasThread() {
		return this.thread;
	}

	@Override
	void signal() {
		throw new UnsupportedOperationException("Nobody waits for it");
	}

	@Override
	public String toString() {
		return this.label;
	}

}
