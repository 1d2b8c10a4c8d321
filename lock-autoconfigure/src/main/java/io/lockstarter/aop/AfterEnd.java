package io.lockstarter.aop;

import java.util.Objects;

import io.lockstarter.reactor.SubscriptionEnd;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlin.coroutines.intrinsics.IntrinsicsKt;
import org.jspecify.annotations.Nullable;

/**
 * Continuation of a caller that resumes only after the work that it has called under a
 * lock has ended. A caller that is cancelled before it has suspended is not resumed but
 * gets an exception, and continues at once. Loaded only if Kotlin's coroutines are
 * present.
 *
 * @param caller the caller, intercepted so that it resumes on its own thread
 * @param end the end of the work
 */
record AfterEnd(Continuation<Object> caller, SubscriptionEnd end) implements Continuation<Object> {

	/**
	 * Makes the caller of a suspend function wait for the end of the work. A caller that
	 * waits for the function's publisher resumes with the last of the arguments.
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
