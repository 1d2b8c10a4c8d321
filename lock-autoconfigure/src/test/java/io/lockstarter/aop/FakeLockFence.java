package io.lockstarter.aop;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lockstarter.core.LockFence;
import io.lockstarter.core.LockHandle;

/**
 * Notes what is asked of it.
 */
class FakeLockFence implements LockFence {

	final List<String> events = new CopyOnWriteArrayList<>();

	private final RuntimeException refusal;

	FakeLockFence() {
		this(null);
	}

	FakeLockFence(RuntimeException refusal) {
		this.refusal = refusal;
	}

	@Override
	public void prepare(String user) {
		this.events.add("prepare " + user);
	}

	@Override
	public Guard guard(LockHandle lock, String user) {
		if (this.refusal != null) {
			throw this.refusal;
		}
		this.events.add("guard " + lock.name());
		return new Guard() {

			@Override
			public void succeeded() {
				FakeLockFence.this.events.add("succeeded");
			}

			@Override
			public void close() {
				FakeLockFence.this.events.add("closed");
			}

		};
	}

}
