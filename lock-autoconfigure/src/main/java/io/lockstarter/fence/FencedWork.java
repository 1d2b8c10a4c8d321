package io.lockstarter.fence;

import io.lockstarter.core.LockFence;

/**
 * Work under a fenced lock.
 */
final class FencedWork implements LockFence.Guard {

	private final Runnable end;

	private final Runnable unprotected;

	private volatile boolean transactional;

	/**
	 * Begins the work.
	 * @param end what to do at the end
	 * @param unprotected what to do if it has succeeded without a transaction
	 */
	FencedWork(Runnable end, Runnable unprotected) {
		this.end = end;
		this.unprotected = unprotected;
	}

	/** A transaction that will be verified has begun, or was there before the work. */
	void transactional() {
		this.transactional = true;
	}

	@Override
	public void succeeded() {
		if (!this.transactional) {
			this.unprotected.run();
		}
	}

	@Override
	public void close() {
		this.end.run();
	}

}
