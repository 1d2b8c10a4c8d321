package io.lockstarter.aop;

import java.util.Objects;

import io.lockstarter.reactor.SubscriptionEnd;
import kotlin.ResultKt;
import kotlin.Unit;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.SafeContinuation;
import kotlin.coroutines.intrinsics.IntrinsicsKt;
import kotlinx.coroutines.flow.Flow;
import kotlinx.coroutines.flow.FlowCollector;
import kotlinx.coroutines.reactive.ReactiveFlowKt;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * Flow under a lock. As with a plain flow, a collector that needs no more elements
 * continues only after the flow has cleaned up. Loaded only if Kotlin's coroutines are
 * present.
 *
 * @param signals the publisher that acquires the lock for each subscription
 */
record LockedFlow(Flux<Object> signals) implements Flow<Object> {

	@Override
	@SuppressWarnings("unchecked")
	public @Nullable Object collect(FlowCollector<? super Object> collector, Continuation<? super Unit> caller) {
		SubscriptionEnd end = new SubscriptionEnd();
		SafeContinuation<Object> goingOn = new SafeContinuation<>(
				IntrinsicsKt.intercepted((Continuation<Object>) caller));
		AfterEnd after = new AfterEnd(goingOn, end);
		try {
			Object result = Objects
				.requireNonNull(ReactiveFlowKt.asFlow(end.of(this.signals)).collect(collector, (Continuation) after));
			if (result != IntrinsicsKt.getCOROUTINE_SUSPENDED()) {
				after.resumeWith(result);
			}
		}
		catch (Throwable ex) {
			after.resumeWith(ResultKt.createFailure(ex));
		}
		return goingOn.getOrThrow();
	}

}
