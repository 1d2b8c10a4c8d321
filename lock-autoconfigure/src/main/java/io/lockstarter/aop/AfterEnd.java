package io.lockstarter.aop;

import java.util.Objects;

import io.lockstarter.reactor.SubscriptionEnd;
import kotlin.Unit;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlin.coroutines.intrinsics.IntrinsicsKt;
import kotlinx.coroutines.DisposableHandle;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.NonCancellable;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Continuation of a caller that goes on only when the work that it has called under a
 * lock has ended. Loaded only where Kotlin's coroutines are.
 *
 * @param caller the caller, with what takes it to its thread
 * @param context the context in which the caller awaits the work
 * @param end the end
 */
record AfterEnd(Continuation<Object> caller, CoroutineContext context,
		SubscriptionEnd end) implements Continuation<Object> {

	/**
	 * Lets the caller of a suspend function wait for the end of the function's publisher,
	 * which Spring awaits with the last of the arguments. A cancelled caller would stop
	 * to wait at once: so the caller awaits the publisher without being cancelled, and
	 * its cancellation ends the publisher.
	 * @return the publisher
	 */
	@SuppressWarnings("unchecked")
	static Flux<Object> awaited(Flux<Object> publisher, @Nullable Object[] arguments) {
		int last = arguments.length - 1;
		Continuation<Object> caller = (Continuation<Object>) Objects.requireNonNull(arguments[last]);
		CoroutineContext context = caller.getContext();
		SubscriptionEnd end = new SubscriptionEnd();
		arguments[last] = new AfterEnd(IntrinsicsKt.intercepted(caller), context.plus(NonCancellable.INSTANCE), end);
		Job job = context.get(Job.Key);
		Flux<Object> ending = end.of(publisher);
		return (job != null) ? ending.takeUntilOther(cancellation(job)) : ending;
	}

	/** Returns a publisher that fails when a job is cancelled. */
	private static Mono<Object> cancellation(Job job) {
		return Mono.create((sink) -> {
			DisposableHandle handle = job.invokeOnCompletion(true, true, (cause) -> {
				if (cause != null) {
					sink.error(job.getCancellationException());
				}
				return Unit.INSTANCE;
			});
			sink.onDispose(handle::dispose);
		});
	}

	@Override
	public CoroutineContext getContext() {
		return this.context;
	}

	@Override
	public void resumeWith(Object result) {
		this.end.whenOver(() -> this.caller.resumeWith(result));
	}

}
