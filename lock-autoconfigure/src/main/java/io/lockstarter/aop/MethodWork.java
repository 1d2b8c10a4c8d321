package io.lockstarter.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import io.lockstarter.reactor.LockedWork;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.ReactiveAdapter;

/**
 * Run of an annotated method for one subscription.
 */
class MethodWork implements LockedWork<Object> {

	private final LockCall call;

	private final LockContext outer;

	private final @Nullable SubscriberTransaction transaction;

	private final ReactiveAdapter adapter;

	private volatile @Nullable HeldLock held;

	/**
	 * Creates a run.
	 * @param call the call
	 * @param outer the locks of the subscriber
	 * @param transaction the transaction of the subscriber that holds the lock, or {@code
	 * null}
	 * @param adapter the adapter of the method's return type
	 */
	MethodWork(LockCall call, LockContext outer, @Nullable SubscriberTransaction transaction, ReactiveAdapter adapter) {
		this.call = call;
		this.outer = outer;
		this.transaction = transaction;
		this.adapter = adapter;
	}

	@Override
	public CompletableFuture<LockHandle> acquire() {
		return this.call.acquireAsync(this.outer);
	}

	@Override
	public LockContext granted(LockHandle lock) {
		HeldLock current = this.call.held(lock, this.outer);
		this.held = current;
		return current.context();
	}

	@Override
	public Publisher<Object> begin() throws Throwable {
		return run(this.call, held().context());
	}

	/** Runs the method. */
	Publisher<Object> run(LockCall call, LockContext locks) throws Throwable {
		return toPublisher(call.proceedLater());
	}

	@Override
	public Publisher<Object> refused(LockAcquisitionTimeoutException failure) throws Throwable {
		return toPublisher(this.call.withoutLock(failure, null));
	}

	/** Returns the result as a publisher, which that of a suspend function already is. */
	final Publisher<Object> toPublisher(@Nullable Object result) {
		if (result == null) {
			return Flux.empty();
		}
		return this.adapter.getReactiveType().isInstance(result) ? this.adapter.toPublisher(result) : Mono.just(result);
	}

	@Override
	public boolean staysHeld(CompletionStage<?> ended) {
		return this.transaction != null && this.transaction.keep(held(), ended);
	}

	@Override
	public CompletionStage<@Nullable Void> release(LockHandle lock) {
		return held().releaseAsync();
	}

	private HeldLock held() {
		HeldLock current = this.held;
		if (current == null) {
			throw new IllegalStateException("No lock was granted");
		}
		return current;
	}

}
