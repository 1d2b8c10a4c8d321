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
 * Puts the work of pipelines under locks. A lock is asked for on each subscription,
 * without blocking, and released when the work has completed or failed, or its subscriber
 * has cancelled; one that cancels while the lock is waited for withdraws the request.
 * Completion, error and the value of a {@code Mono} come after the release; if the lock
 * was lost meanwhile, the {@link io.lockstarter.core.LockLostException} takes the place
 * of completion, and is suppressed in an error. Thread-safe.
 * <p>
 * The Reactor context of the work has the lock, as it has those of annotated methods:
 * {@link #current()}. By it the work takes again what it holds already. A request that
 * names no owner gets one for each subscription, and a thread cannot be one. No
 * transaction of the subscriber keeps the lock: put the transaction inside.
 */
public final class ReactorLocks {

	private final LockRegistry registry;

	/**
	 * Take locks from a registry.
	 * @param registry the registry
	 */
	public ReactorLocks(LockRegistry registry) {
		this.registry = registry;
	}

	/**
	 * Put work under a lock.
	 * @param <T> the result
	 * @param request the name and terms
	 * @param work what to subscribe to under the lock
	 * @return the work under its lock; fails with the errors of
	 * {@link LockRegistry#acquire(LockRequest)}, without a subscription to the work
	 */
	public <T> Mono<T> withLock(LockRequest request, Mono<T> work) {
		return locked(request, work, Mono::error).singleOrEmpty();
	}

	/**
	 * Put work under a lock.
	 * @param <T> what the work emits, which does not wait for the release
	 * @param request the name and terms
	 * @param work what to subscribe to under the lock
	 * @return the work under its lock; fails with the errors of
	 * {@link LockRegistry#acquire(LockRequest)}, without a subscription to the work
	 */
	public <T> Flux<T> withLock(LockRequest request, Flux<T> work) {
		return locked(request, work, Mono::error);
	}

	/**
	 * Put work under a lock if that is free within the request's wait time.
	 * @param <T> the result
	 * @param request the name and terms
	 * @param work what to subscribe to under the lock
	 * @param otherwise what to subscribe to, without a lock, if it was not free in time
	 * @return the one or the other
	 */
	public <T> Mono<T> tryWithLock(LockRequest request, Mono<T> work, Mono<T> otherwise) {
		return locked(request, work, (failure) -> otherwise).singleOrEmpty();
	}

	/**
	 * Put work under a lock if that is free within the request's wait time.
	 * @param <T> what the work emits, which does not wait for the release
	 * @param request the name and terms
	 * @param work what to subscribe to under the lock
	 * @param otherwise what to subscribe to, without a lock, if it was not free in time
	 * @return the one or the other
	 */
	public <T> Flux<T> tryWithLock(LockRequest request, Flux<T> work, Publisher<T> otherwise) {
		return locked(request, work, (failure) -> otherwise);
	}

	private <T> Flux<T> locked(LockRequest request, Publisher<T> work,
			Function<LockAcquisitionTimeoutException, Publisher<T>> otherwise) {
		return LockedFlux.of((outer, context) -> new RequestedWork<>(this.registry, request, outer, work, otherwise));
	}

	/**
	 * Return the innermost lock under which the subscriber runs, be it one of this class
	 * or of an annotated method.
	 * @return emits the hold, or fails with an {@link IllegalStateException} if there is
	 * none
	 */
	public static Mono<LockHandle> current() {
		return Mono.deferContextual((context) -> context.<LockContext>getOrEmpty(LockContext.class)
			.flatMap(LockContext::handle)
			.map(Mono::just)
			.orElseGet(() -> Mono.error(() -> new IllegalStateException("No lock is in force in this pipeline:"
					+ " ReactorLocks.current() answers only inside one that an annotated method has returned, or that"
					+ " was put under a lock by ReactorLocks"))));
	}

}
