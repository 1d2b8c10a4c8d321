package io.lockstarter.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockstarter.core.LockContext;
import kotlin.Unit;
import kotlin.coroutines.AbstractCoroutineContextElement;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.ThreadContextElement;
import org.jspecify.annotations.Nullable;

/**
 * Coroutine that runs a method under its lock. As an element of the coroutine context, it
 * makes the locks known to every thread that continues the coroutine. Loaded only if
 * Kotlin's coroutines are present.
 */
final class LockedCoroutine extends AbstractCoroutineContextElement implements ThreadContextElement<LockContext.Scope> {

	private static final Key KEY = new Key();

	private final LockContext locks;

	private volatile @Nullable Job job;

	LockedCoroutine(LockContext locks) {
		super(KEY);
		this.locks = locks;
	}

	/** Returns a continuation in the context of a caller, as part of this coroutine. */
	Continuation<Object> of(Continuation<Object> caller) {
		CoroutineContext context = caller.getContext().plus(this);
		return new Continuation<>() {

			@Override
			public CoroutineContext getContext() {
				return context;
			}

			@Override
			public void resumeWith(Object result) {
				caller.resumeWith(result);
			}

		};
	}

	/**
	 * Restores the locks on a thread that continues the coroutine or a child of it. The
	 * first call is made for the coroutine itself. Whether the coroutine is cancelled is
	 * checked only after this call, and a cancelled one then does not begin.
	 */
	@Override
	public LockContext.Scope updateThreadContext(CoroutineContext context) {
		if (this.job == null) {
			this.job = context.get(Job.Key);
		}
		return this.locks.restore();
	}

	@Override
	public void restoreThreadContext(CoroutineContext context, LockContext.Scope scope) {
		scope.close();
	}

	/**
	 * Returns a stage that completes when no part of the coroutine runs. A cancelled
	 * coroutine has to clean up first. One that has not begun by the time of this call
	 * never will.
	 */
	CompletionStage<@Nullable Void> ended() {
		CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
		Job current = this.job;
		if (current == null) {
			ended.complete(null);
		}
		else {
			current.invokeOnCompletion((cause) -> {
				ended.complete(null);
				return Unit.INSTANCE;
			});
		}
		return ended;
	}

	/**
	 * Key of this element in a coroutine context.
	 */
	private static final class Key implements CoroutineContext.Key<LockedCoroutine> {

	}

}
