package io.lockstarter.aop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockType;
import io.lockstarter.core.NamedLock;

/**
 * Grants every lock unless told otherwise, and remembers what it was asked.
 */
class FakeLockRegistry implements LockRegistry {

	final List<LockRequest> requests = new ArrayList<>();

	final List<String> held = new ArrayList<>();

	RuntimeException refusal;

	boolean interrupted;

	RuntimeException releaseFailure;

	Runnable onRelease = () -> {
	};

	LockRequest lastRequest() {
		return this.requests.get(this.requests.size() - 1);
	}

	String lastName() {
		return lastRequest().name();
	}

	@Override
	public LockHandle acquire(LockRequest request) throws InterruptedException {
		this.requests.add(request);
		if (this.refusal != null) {
			throw this.refusal;
		}
		if (this.interrupted) {
			throw new InterruptedException();
		}
		this.held.add(request.name());
		return new FakeHandle(request);
	}

	@Override
	public NamedLock get(LockRequest request) {
		throw new UnsupportedOperationException();
	}

	@Override
	public LockHandle acquireAll(Collection<LockRequest> requests) throws InterruptedException {
		LockHandle last = null;
		for (LockRequest request : requests) {
			last = acquire(request);
		}
		this.held.clear();
		return last;
	}

	@Override
	public CompletableFuture<LockHandle> acquireAllAsync(Collection<LockRequest> requests) {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
		throw new UnsupportedOperationException();
	}

	private final class FakeHandle implements LockHandle {

		private final LockRequest request;

		FakeHandle(LockRequest request) {
			this.request = request;
		}

		@Override
		public String name() {
			return this.request.name();
		}

		@Override
		public String metricName() {
			return this.request.metricName();
		}

		@Override
		public LockType type() {
			return this.request.type();
		}

		@Override
		public int permits() {
			return 1;
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
			return FakeLockRegistry.this.held.contains(name());
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
			throw new UnsupportedOperationException();
		}

		@Override
		public void close() {
			FakeLockRegistry.this.onRelease.run();
			FakeLockRegistry.this.held.remove(name());
			if (FakeLockRegistry.this.releaseFailure != null) {
				throw FakeLockRegistry.this.releaseFailure;
			}
		}

	}

}
