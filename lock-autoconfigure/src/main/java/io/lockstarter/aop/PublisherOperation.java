package io.lockstarter.aop;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.core.ReactiveAdapter;

/**
 * Takes the lock anew for each subscription, without blocking, and holds it until the
 * publisher has completed or failed, or the subscription was cancelled, and a transaction
 * of the subscriber is completed. The Reactor context carries the lock. Loaded only where
 * Reactor is.
 */
class PublisherOperation implements LockOperation {

	private final ReactiveAdapter adapter;

	private final boolean afterTransaction;

	/**
	 * Create an operation.
	 * @param adapter the adapter of what the method returns
	 * @param afterTransaction whether a transaction of the subscriber keeps the lock
	 */
	PublisherOperation(ReactiveAdapter adapter, boolean afterTransaction) {
		this.adapter = adapter;
		this.afterTransaction = afterTransaction;
	}

	@Override
	public Object invoke(LockCall call) {
		LockContext caller = LockContext.capture();
		Flux<Object> locked = Flux
			.deferContextual((context) -> locked(call, context.getOrDefault(LockContext.class, caller), context));
		return this.adapter.fromPublisher(this.adapter.isMultiValue() ? locked : locked.singleOrEmpty());
	}

	private Flux<Object> locked(LockCall call, @Nullable LockContext caller, ContextView context) {
		LockContext outer = (caller != null) ? caller : LockContext.capture();
		return Flux.usingWhen(Mono.fromSupplier(() -> subscription(call, outer, context)), this::signals,
				LockedSubscription::release, LockedSubscription::releaseAfter, LockedSubscription::release);
	}

	private LockedSubscription subscription(LockCall call, LockContext outer, ContextView context) {
		return this.afterTransaction ? new LockedSubscription(call, SubscriberTransaction.locks(context, outer, call),
				SubscriberTransaction.of(context)) : new LockedSubscription(call, outer, null);
	}

	/**
	 * The signals of the method or, where the lock is not free in time, of its
	 * substitute.
	 */
	private Flux<Object> signals(LockedSubscription subscription) {
		return subscription.lock()
			.map((lock) -> signals(subscription, lock))
			.onErrorResume(LockAcquisitionTimeoutException.class,
					(failure) -> Mono.fromCallable(() -> substitute(subscription.call(), failure)))
			.flatMapMany((signals) -> signals);
	}

	/** The last signal comes after the release, whose failure takes its place. */
	private Flux<Object> signals(LockedSubscription subscription, LockHandle handle) {
		HeldLock lock = subscription.hold(handle);
		return Flux.<Object>from((subscriber) -> {
			if (!subscription.begin()) {
				Flux.empty().subscribe(subscriber);
				return;
			}
			try (LockContext.Scope scope = lock.context().restore()) {
				publisher(subscription, lock.context()).subscribe(subscriber);
			}
			finally {
				subscription.begun();
			}
		})
			.concatWith(subscription.release().cast(Object.class))
			.contextWrite((context) -> context.put(LockContext.class, lock.context()));
	}

	private Publisher<Object> publisher(LockedSubscription subscription, LockContext locks) {
		try {
			return work(subscription, locks);
		}
		catch (Throwable ex) {
			return Flux.error(ex);
		}
	}

	/** Run the method. */
	Publisher<Object> work(LockedSubscription subscription, LockContext locks) throws Throwable {
		return toPublisher(subscription.call().proceedLater());
	}

	private Flux<Object> substitute(LockCall call, LockAcquisitionTimeoutException failure) {
		try {
			return Flux.from(toPublisher(call.withoutLock(failure, null)));
		}
		catch (Throwable ex) {
			return Flux.error(ex);
		}
	}

	/** A suspend function's result is a publisher already. */
	final Publisher<Object> toPublisher(@Nullable Object result) {
		if (result == null) {
			return Flux.empty();
		}
		return this.adapter.getReactiveType().isInstance(result) ? this.adapter.toPublisher(result) : Mono.just(result);
	}

}
