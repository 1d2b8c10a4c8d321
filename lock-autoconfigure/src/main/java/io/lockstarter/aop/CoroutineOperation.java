package io.lockstarter.aop;

import io.lockstarter.core.LockContext;
import io.lockstarter.reactor.LockedWork;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapter;

/**
 * Holds the lock until the coroutine of a suspend function or {@code Flow} has ended.
 * Advice sees it as a publisher. Loaded only where Kotlin's coroutines are.
 */
final class CoroutineOperation extends PublisherOperation {

	CoroutineOperation(ReactiveAdapter adapter, boolean afterTransaction) {
		super(adapter, afterTransaction);
	}

	@Override
	LockedWork<Object> work(LockCall call, LockContext outer, @Nullable SubscriberTransaction transaction,
			ReactiveAdapter adapter) {
		return new CoroutineWork(call, outer, transaction, adapter);
	}

}
