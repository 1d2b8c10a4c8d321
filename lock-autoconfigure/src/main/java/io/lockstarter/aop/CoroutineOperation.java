package io.lockstarter.aop;

import io.lockstarter.core.LockContext;
import kotlin.coroutines.Continuation;
import kotlinx.coroutines.flow.Flow;
import kotlinx.coroutines.reactor.ReactorFlowKt;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

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
	@SuppressWarnings("unchecked")
	Publisher<Object> work(LockedSubscription subscription, LockContext locks) throws Throwable {
		LockedCoroutine coroutine = new LockedCoroutine(locks);
		subscription.endsAfter(coroutine::ended);
		LockCall call = subscription.call();
		@Nullable Object[] arguments = call.invocation().getArguments().clone();
		int last = arguments.length - 1;
		if (last >= 0 && arguments[last] instanceof Continuation<?> caller) {
			arguments[last] = coroutine.of((Continuation<Object>) caller);
		}
		Object result = call.proceedLater(arguments);
		return (result instanceof Flow<?> flow) ? ReactorFlowKt.asFlux((Flow<Object>) flow, coroutine)
				: toPublisher(result);
	}

}
