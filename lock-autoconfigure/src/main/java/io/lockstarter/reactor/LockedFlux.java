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
 * Takes a lock anew for each subscription, without blocking, and holds it until the work
 * has completed or failed, or the subscription was cancelled. The Reactor context carries
 * the lock.
 */
public final class LockedFlux {

	private LockedFlux() {
	}

	/**
	 * Put work under a lock.
	 * @param <T> what the work emits
	 * @param works gives the work of a subscription, made from the locks of its
	 * subscriber and its context; the locks are those of the caller of this method where
	 * the context has none
	 * @return the work under its lock; its last signal comes after the release
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
	 * The signals of the work or, where the lock is not free in time, of its substitute.
	 */
	private static <T> Flux<T> signals(LockedSubscription<T> subscription) {
		return subscription.lock()
			.map((lock) -> signals(subscription, lock))
			.onErrorResume(LockAcquisitionTimeoutException.class,
					(failure) -> Mono.fromCallable(() -> substitute(subscription.work(), failure)))
			.flatMapMany((signals) -> signals);
	}

	/** The last signal comes after the release, whose failure takes its place. */
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
