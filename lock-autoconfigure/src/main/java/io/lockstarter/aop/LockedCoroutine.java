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
 * The coroutine that runs a method under its lock: an element of its context, which makes
 * the locks known to whatever thread the coroutine goes on with. Loaded only where
 * Kotlin's coroutines are.
 */
final class LockedCoroutine extends AbstractCoroutineContextElement implements ThreadContextElement<LockContext.Scope> {

	private static final Key KEY = new Key();

	private final LockContext locks;

	private volatile @Nullable Job job;

	LockedCoroutine(LockContext locks) {
		super(KEY);
		this.locks = locks;
	}

	/** Run in the context of a caller, as part of this coroutine. */
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
	 * A thread goes on with the coroutine, or with a child of it; the coroutine itself
	 * comes first. A cancelled one is looked for only after this, and then does not
	 * begin.
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
	 * Return when nothing of it runs any more. After a cancellation that takes until it
	 * has cleaned up; one that has not begun by then never will.
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
	 * What it is found by in a context.
	 */
	private static final class Key implements CoroutineContext.Key<LockedCoroutine> {

	}

}
