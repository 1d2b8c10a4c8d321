package io.lockstarter.reactor;

import java.util.function.Function;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Locks for the work of Reactor pipelines. Each subscription requests the lock without
 * blocking. The lock is released when the work has completed or failed, or its subscriber
 * has cancelled. Cancelling while the request waits withdraws the request. Completion,
 * error and the value of a {@code Mono} follow the release. If the lock was lost
 * meanwhile, the {@link io.lockstarter.core.LockLostException} replaces completion, and
 * is suppressed in an error. Thread-safe.
 * <p>
 * The Reactor context of the work contains the lock, and also the locks of annotated
 * methods: see {@link #current()}. Through the context, the work re-enters locks that it
 * already holds. A request without an owner gets a new owner for each subscription; a
 * thread cannot be the owner. A transaction of the subscriber does not keep the lock
 * until its end, so begin the transaction inside the work.
 */
public final class ReactorLocks {

	private final LockRegistry registry;

	/**
	 * Creates an object that acquires locks from a registry.
	 * @param registry the registry
	 */
	public ReactorLocks(LockRegistry registry) {
		this.registry = registry;
	}

	/**
	 * Runs work under a lock.
	 * @param <T> the type of the result
	 * @param request the request for the lock
	 * @param work the work to subscribe to under the lock
	 * @return the work under its lock; fails with the errors of
	 * {@link LockRegistry#acquire(LockRequest)}, without a subscription to the work
	 */
	public <T> Mono<T> withLock(LockRequest request, Mono<T> work) {
		return locked(request, work, Mono::error).singleOrEmpty();
	}

	/**
	 * Runs work under a lock.
	 * @param <T> the type of the elements, which do not wait for the release
	 * @param request the request for the lock
	 * @param work the work to subscribe to under the lock
	 * @return the work under its lock; fails with the errors of
	 * {@link LockRegistry#acquire(LockRequest)}, without a subscription to the work
	 */
	public <T> Flux<T> withLock(LockRequest request, Flux<T> work) {
		return locked(request, work, Mono::error);
	}

	/**
	 * Runs work under a lock if the lock is free within the request's wait time.
	 * @param <T> the type of the result
	 * @param request the request for the lock
	 * @param work the work to subscribe to under the lock
	 * @param otherwise the substitute to subscribe to, without a lock, if the lock was
	 * not free in time
	 * @return the work under its lock, or its substitute
	 */
	public <T> Mono<T> tryWithLock(LockRequest request, Mono<T> work, Mono<T> otherwise) {
		return locked(request, work, (failure) -> otherwise).singleOrEmpty();
	}

	/**
	 * Runs work under a lock if the lock is free within the request's wait time.
	 * @param <T> the type of the elements, which do not wait for the release
	 * @param request the request for the lock
	 * @param work the work to subscribe to under the lock
	 * @param otherwise the substitute to subscribe to, without a lock, if the lock was
	 * not free in time
	 * @return the work under its lock, or its substitute
	 */
	public <T> Flux<T> tryWithLock(LockRequest request, Flux<T> work, Publisher<T> otherwise) {
		return locked(request, work, (failure) -> otherwise);
	}

	private <T> Flux<T> locked(LockRequest request, Publisher<T> work,
			Function<LockAcquisitionTimeoutException, Publisher<T>> otherwise) {
		return LockedFlux.of((outer, context) -> new RequestedWork<>(this.registry, request, outer, work, otherwise));
	}

	/**
	 * Returns the innermost lock under which the subscriber runs, whether acquired by
	 * this class or by an annotated method.
	 * @return emits the hold, or fails with an {@link IllegalStateException} if there is
	 * none
	 */
	public static Mono<LockHandle> current() {
		return Mono.deferContextual((context) -> context.<LockContext>getOrEmpty(LockContext.class)
			.flatMap(LockContext::handle)
			.map(Mono::just)
			.orElseGet(() -> Mono.error(() -> new IllegalStateException("This pipeline holds no lock:"
					+ " ReactorLocks.current() works only inside a pipeline that an annotated method has returned, or"
					+ " that runs under a lock of ReactorLocks"))));
	}

}
