package io.lockstarter.aop;

import io.lockstarter.core.LockContext;
import io.lockstarter.reactor.LockedFlux;
import io.lockstarter.reactor.LockedWork;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.util.context.ContextView;

import org.springframework.core.ReactiveAdapter;

/**
 * Operation that acquires the lock for each subscription, without blocking. The lock is
 * held until the publisher has completed or failed, or the subscription was cancelled,
 * and until a transaction of the subscriber has completed. Loaded only if Reactor is
 * present.
 */
class PublisherOperation implements LockOperation {

	private final ReactiveAdapter adapter;

	private final boolean afterTransaction;

	/**
	 * Creates an operation.
	 * @param adapter the adapter of the method's return type
	 * @param afterTransaction whether a transaction of the subscriber holds the lock
	 */
	PublisherOperation(ReactiveAdapter adapter, boolean afterTransaction) {
		this.adapter = adapter;
		this.afterTransaction = afterTransaction;
	}

	@Override
	public Object invoke(LockCall call) {
		Flux<Object> locked = LockedFlux.of((outer, context) -> work(call, outer, context));
		return result(call, locked);
	}

	/** Returns the result for the caller. */
	Object result(LockCall call, Flux<Object> locked) {
		return this.adapter.fromPublisher(this.adapter.isMultiValue() ? locked : locked.singleOrEmpty());
	}

	private LockedWork<Object> work(LockCall call, LockContext outer, ContextView context) {
		return this.afterTransaction ? work(call, SubscriberTransaction.locks(context, outer, call),
				SubscriberTransaction.of(context), this.adapter) : work(call, outer, null, this.adapter);
	}

	/** Returns the work of one subscription under the lock. */
	LockedWork<Object> work(LockCall call, LockContext outer, @Nullable SubscriberTransaction transaction,
			ReactiveAdapter adapter) {
		return new MethodWork(call, outer, transaction, adapter);
	}

}
