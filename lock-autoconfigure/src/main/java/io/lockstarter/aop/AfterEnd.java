package io.lockstarter.aop;

import java.util.Objects;

import io.lockstarter.reactor.SubscriptionEnd;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlin.coroutines.intrinsics.IntrinsicsKt;
import org.jspecify.annotations.Nullable;

/**
 * Continuation of a caller that goes on only when the work that it has called under a
 * lock has ended. A caller that is cancelled before it has suspended is not resumed but
 * gets an exception, and goes on at once. Loaded only where Kotlin's coroutines are.
 *
 * @param caller the caller, with what takes it to its thread
 * @param end the end
 */
record AfterEnd(Continuation<Object> caller, SubscriptionEnd end) implements Continuation<Object> {

	/**
	 * Lets the caller of a suspend function wait for the end. Whoever waits for the
	 * function's publisher goes on with the last of the arguments.
	 */
	@SuppressWarnings("unchecked")
	static void replaceCaller(@Nullable Object[] arguments, SubscriptionEnd end) {
		int last = arguments.length - 1;
		Continuation<Object> caller = (Continuation<Object>) Objects.requireNonNull(arguments[last]);
		arguments[last] = new AfterEnd(IntrinsicsKt.intercepted(caller), end);
	}

	@Override
	public CoroutineContext getContext() {
		return this.caller.getContext();
	}

	@Override
	public void resumeWith(Object result) {
		this.end.whenOver(() -> this.caller.resumeWith(result));
	}

}
