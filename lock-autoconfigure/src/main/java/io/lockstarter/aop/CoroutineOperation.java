package io.lockstarter.aop;

import io.lockstarter.core.LockContext;
import io.lockstarter.reactor.LockedWork;
import io.lockstarter.reactor.SubscriptionEnd;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

import org.springframework.core.ReactiveAdapter;

/**
 * Operation that holds the lock until the coroutine of a suspend function or {@code Flow}
 * has ended. Other advice sees the result as a publisher. Loaded only if Kotlin's
 * coroutines are present.
 */
final class CoroutineOperation extends PublisherOperation {

	CoroutineOperation(ReactiveAdapter adapter, boolean afterTransaction) {
		super(adapter, afterTransaction);
	}

	/**
	 * Returns a result that resumes the caller only after its coroutine or flow has
	 * cleaned up, as without a lock. Reactor does not wait for the clean-up after a
	 * cancellation.
	 */
	@Override
	Object result(LockCall call, Flux<Object> locked) {
		if (!SuspendFunctions.isOne(call.invocation().getMethod())) {
			return new LockedFlow(locked);
		}
		SubscriptionEnd end = new SubscriptionEnd();
		AfterEnd.replaceCaller(call.invocation().getArguments(), end);
		return super.result(call, end.of(locked));
	}

	@Override
	LockedWork<Object> work(LockCall call, LockContext outer, @Nullable SubscriberTransaction transaction,
			ReactiveAdapter adapter) {
		return new CoroutineWork(call, outer, transaction, adapter);
	}

}
