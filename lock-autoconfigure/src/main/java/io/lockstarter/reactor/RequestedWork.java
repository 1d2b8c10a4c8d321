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
 * Work under an explicitly requested lock.
 *
 * @param <T> the type of the elements
 * @param registry the registry of the lock
 * @param request the request for the lock
 * @param outer the locks of the subscriber
 * @param work the work to subscribe to under the lock
 * @param otherwise the substitute of the work if the lock is not free in time
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
