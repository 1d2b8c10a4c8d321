package io.lockstarter.observation;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockType;

/**
 * A handle of which only names, type and permits matter.
 *
 * @param name the lock's name
 * @param metricName the group it counts under
 * @param permits how many may hold it at a time
 */
record FakeLockHandle(String name, String metricName, int permits) implements LockHandle {

	FakeLockHandle(String name, String metricName) {
		this(name, metricName, 1);
	}

	@Override
	public LockType type() {
		return LockType.REENTRANT;
	}

	@Override
	public LockOwner owner() {
		return LockOwner.currentThread();
	}

	@Override
	public long fencingToken() {
		return 1;
	}

	@Override
	public boolean isValid() {
		return true;
	}

	@Override
	public Duration remainingLease() {
		return Duration.ofSeconds(30);
	}

	@Override
	public void extend(Duration lease) {
	}

	@Override
	public CompletionStage<Void> releaseAsync() {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public void close() {
	}

}
