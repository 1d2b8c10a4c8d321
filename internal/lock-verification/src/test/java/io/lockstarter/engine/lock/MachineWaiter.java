package io.lockstarter.engine.lock;

import java.time.Duration;

import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;
import io.lockstarter.engine.lease.Moment;

/**
 * Request of a {@link MachineClient}, which processes the effects itself.
 */
final class MachineWaiter extends Waiter {

	private final String label;

	private final boolean thread;

	MachineWaiter(String label, LockRequest request, LockOwner owner, Duration lease, boolean thread, Moment now) {
		super(request, owner, request.waitTime(), lease, now.nanos());
		this.label = label;
		this.thread = thread;
	}

	@Override
	void completed() {
		throw new UnsupportedOperationException("No thread waits for this request");
	}

	@Override
	boolean hasThread() {
		return this.thread;
	}

	@Override
	void signal() {
		throw new UnsupportedOperationException("No thread waits for this request");
	}

	@Override
	public String toString() {
		return this.label;
	}

}
