package io.lockstarter.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.LockHandle;
import org.jspecify.annotations.Nullable;

/**
 * Asynchronous acquisition of several locks, one after the other.
 */
final class MultiAcquisition {

	private final Requests requests;

	private final MultiRequest request;

	private final CompletableFuture<LockHandle> promise = new CompletableFuture<>();

	/** Handles of the acquired locks. Accessed by one step at a time. */
	private final List<LockHandle> taken = new ArrayList<>();

	private volatile @Nullable CompletableFuture<LockHandle> current;

	MultiAcquisition(Requests requests, MultiRequest request) {
		this.requests = requests;
		this.request = request;
	}

	CompletableFuture<LockHandle> start() {
		takeNext();
		this.promise.whenComplete((handle, failure) -> withdraw());
		return this.promise;
	}

	private void withdraw() {
		CompletableFuture<LockHandle> step = this.current;
		if (step != null) {
			step.cancel(false);
		}
	}

	private void takeNext() {
		CompletableFuture<LockHandle> step = this.requests.acquireAsync(this.request.next(this.taken.size()));
		this.current = step;
		if (this.promise.isDone()) {
			step.cancel(false);
		}
		step.whenComplete(this::took);
	}

	private void took(@Nullable LockHandle handle, @Nullable Throwable failure) {
		if (failure != null) {
			fail(failure);
			return;
		}
		this.taken.add(handle);
		try {
			if (this.taken.size() < this.request.size()) {
				takeNext();
				return;
			}
			LockHandle joined = this.request.joined(this.taken);
			if (!this.promise.complete(joined)) {
				abandon();
			}
		}
		catch (Throwable ex) {
			fail(ex);
		}
	}

	private void fail(Throwable cause) {
		abandon().whenComplete((nothing, failure) -> {
			if (failure != null) {
				cause.addSuppressed(failure);
			}
			this.promise.completeExceptionally(cause);
		});
	}

	/**
	 * Releases the acquired locks without blocking, because the current thread may be the
	 * one that delivers the replies.
	 */
	private CompletableFuture<?> abandon() {
		List<CompletableFuture<?>> releases = new ArrayList<>();
		for (int i = this.taken.size() - 1; i >= 0; i--) {
			releases.add(((DefaultLockHandle) this.taken.get(i)).abandon());
		}
		return CompletableFuture.allOf(releases.toArray(CompletableFuture[]::new));
	}

}
