package io.lockstarter.reactor;

import java.util.function.BiFunction;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Flux that runs work under a lock. Each subscription acquires the lock without blocking,
 * and holds it until the work has completed or failed, or the subscription was cancelled.
 * The Reactor context contains the lock.
 */
public final class LockedFlux {

	private LockedFlux() {
	}

	/**
	 * Creates a flux that runs work under a lock.
	 * @param <T> the type of the elements
	 * @param works creates the work of a subscription from the locks of its subscriber
	 * and its context; without locks in the context, the locks of the caller of this
	 * method are used
	 * @return the work under its lock; its last signal follows the release
	 */
	public static <T> Flux<T> of(BiFunction<LockContext, ContextView, LockedWork<T>> works) {
		LockContext caller = LockContext.capture();
		return Flux.deferContextual((context) -> {
			LockContext own = context.getOrDefault(LockContext.class, caller);
			LockContext outer = (own != null) ? own : caller;
			return Flux.usingWhen(
					Mono.fromSupplier(
							() -> new LockedSubscription<>(works.apply(outer, context), SubscriptionEnd.in(context))),
					LockedFlux::signals, LockedSubscription::release, LockedSubscription::releaseAfter,
					LockedSubscription::release);
		});
	}

	/**
	 * Returns the signals of the work, or of its substitute if the lock is not free in
	 * time.
	 */
	private static <T> Flux<T> signals(LockedSubscription<T> subscription) {
		return subscription.lock()
			.map((lock) -> signals(subscription, lock))
			.onErrorResume(LockAcquisitionTimeoutException.class,
					(failure) -> Mono.fromCallable(() -> substitute(subscription.work(), failure)))
			.flatMapMany((signals) -> signals);
	}

	/**
	 * Returns the signals of the work. The last signal follows the release, and a failure
	 * of the release replaces it.
	 */
	private static <T> Flux<T> signals(LockedSubscription<T> subscription, LockHandle handle) {
		LockContext locks = subscription.hold(handle);
		return Flux.<T>from((subscriber) -> {
			if (!subscription.begin()) {
				Flux.<T>empty().subscribe(subscriber);
				return;
			}
			try (LockContext.Scope scope = locks.restore()) {
				begun(subscription.work()).subscribe(subscriber);
			}
			finally {
				subscription.begun();
			}
		})
			.concatWith(subscription.release().then(Mono.empty()))
			.contextWrite((context) -> context.put(LockContext.class, locks).delete(SubscriptionEnd.class));
	}

	private static <T> Flux<T> begun(LockedWork<T> work) {
		try {
			return Flux.from(work.begin());
		}
		catch (Throwable ex) {
			return Flux.error(ex);
		}
	}

	private static <T> Flux<T> substitute(LockedWork<T> work, LockAcquisitionTimeoutException failure) {
		try {
			return Flux.from(work.refused(failure));
		}
		catch (Throwable ex) {
			return Flux.error(ex);
		}
	}

}
