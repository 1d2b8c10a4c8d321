package io.lockstarter.aop;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockstarter.core.LockContext;
import kotlin.coroutines.Continuation;
import kotlinx.coroutines.flow.Flow;
import kotlinx.coroutines.reactor.ReactorFlowKt;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

import org.springframework.core.ReactiveAdapter;

/**
 * One run of an annotated suspend function, or one collection of a {@code Flow}. Loaded
 * only if Kotlin's coroutines are present.
 */
final class CoroutineWork extends MethodWork {

	private volatile @Nullable LockedCoroutine coroutine;

	CoroutineWork(LockCall call, LockContext outer, @Nullable SubscriberTransaction transaction,
			ReactiveAdapter adapter) {
		super(call, outer, transaction, adapter);
	}

	@Override
	@SuppressWarnings("unchecked")
	Publisher<Object> run(LockCall call, LockContext locks) throws Throwable {
		LockedCoroutine begun = new LockedCoroutine(locks);
		this.coroutine = begun;
		@Nullable Object[] arguments = call.invocation().getArguments().clone();
		// The lambda that is passed to a function returning Flow may be a continuation as
		// well.
		if (SuspendFunctions.isOne(call.invocation().getMethod())) {
			int last = arguments.length - 1;
			arguments[last] = begun.of((Continuation<Object>) Objects.requireNonNull(arguments[last]));
		}
		Object result = call.proceedLater(arguments);
		return (result instanceof Flow<?> flow) ? ReactorFlowKt.asFlux((Flow<Object>) flow, begun)
				: toPublisher(result);
	}

	@Override
	public CompletionStage<?> ended() {
		LockedCoroutine begun = this.coroutine;
		return (begun != null) ? begun.ended() : CompletableFuture.completedStage(null);
	}

}
