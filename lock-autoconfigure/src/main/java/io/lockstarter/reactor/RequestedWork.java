package io.lockstarter.reactor;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import org.reactivestreams.Publisher;

/**
 * What is subscribed to under a lock that somebody asked for.
 *
 * @param <T> what it emits
 * @param registry where the lock comes from
 * @param request its name and terms
 * @param outer the locks of the subscriber
 * @param work what to subscribe to under the lock
 * @param otherwise what takes the place of the work where the lock is not free
 */
record RequestedWork<T>(LockRegistry registry, LockRequest request, LockContext outer, Publisher<T> work,
		Function<LockAcquisitionTimeoutException, Publisher<T>> otherwise) implements LockedWork<T> {

	@Override
	public CompletableFuture<LockHandle> acquire() {
		return this.registry.acquireAsync(this.outer.forTask(this.request, this.registry));
	}

	@Override
	public LockContext granted(LockHandle lock) {
		return this.outer.with(lock);
	}

	@Override
	public Publisher<T> begin() {
		return this.work;
	}

	@Override
	public Publisher<T> refused(LockAcquisitionTimeoutException failure) {
		return this.otherwise.apply(failure);
	}

}
