package io.lockstarter.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * One subscription's request for its lock. However the subscription ends, and at whatever
 * stage of the acquisition, the request is withdrawn or what it was granted is released,
 * once.
 */
final class LockedSubscription {

	private final LockCall call;

	private final LockContext outer;

	private final @Nullable SubscriberTransaction transaction;

	private final CompletableFuture<LockHandle> acquisition;

	private final CompletableFuture<@Nullable Void> begun = new CompletableFuture<>();

	private volatile Supplier<CompletionStage<?>> stopping = () -> CompletableFuture.completedStage(null);

	private boolean beginning;

	private boolean ended;

	private volatile @Nullable HeldLock held;

	/**
	 * Request the lock.
	 * @param call the call
	 * @param outer the locks of the subscriber
	 * @param transaction the transaction of the subscriber that keeps the lock, if any
	 */
	LockedSubscription(LockCall call, LockContext outer, @Nullable SubscriberTransaction transaction) {
		this.call = call;
		this.outer = outer;
		this.transaction = transaction;
		this.acquisition = call.acquireAsync(outer);
	}

	LockCall call() {
		return this.call;
	}

	/** The lock; a cancelled subscriber leaves the withdrawal to the release. */
	Mono<LockHandle> lock() {
		return Mono.fromFuture(this.acquisition, true);
	}

	/** The lock is granted, and the method about to run. */
	HeldLock hold(LockHandle lock) {
		HeldLock current = this.call.held(lock, this.outer);
		this.held = current;
		return current;
	}

	/**
	 * Begin the work, unless the subscription has ended meanwhile. What ends it from now
	 * on waits for {@link #begun()}: until then the work cannot be cancelled.
	 */
	synchronized boolean begin() {
		this.beginning = !this.ended;
		return this.beginning;
	}

	void begun() {
		this.begun.complete(null);
	}

	/**
	 * Hold the lock until this is done, too: work that is told to stop may take its time.
	 */
	void endsAfter(Supplier<CompletionStage<?>> stopping) {
		this.stopping = stopping;
	}

	/**
	 * Withdraw or release on subscription, or leave the release to the transaction.
	 * Whoever comes first is told the outcome, and nobody can cancel it.
	 */
	Mono<Void> release() {
		return Mono.defer(() -> {
			CompletionStage<?> ready = beginToEnd();
			if (ready == null) {
				return Mono.empty();
			}
			return Mono.fromFuture(isKept(ready) ? settled(ready) : endAfter(ready), true);
		});
	}

	private boolean isKept(CompletionStage<?> ready) {
		HeldLock current = this.held;
		return current != null && this.transaction != null && this.transaction.keep(current, ready);
	}

	private static CompletableFuture<@Nullable Void> settled(CompletionStage<?> ready) {
		return ready.<@Nullable Void>handle((nothing, failure) -> null).toCompletableFuture();
	}

	/**
	 * Let the subscription end.
	 * @return when the lock may be released, or {@code null} if it is being released
	 */
	private synchronized @Nullable CompletionStage<?> beginToEnd() {
		if (this.ended) {
			return null;
		}
		this.ended = true;
		return this.beginning ? this.begun.thenCompose((nothing) -> this.stopping.get())
				: CompletableFuture.completedStage(null);
	}

	private CompletableFuture<@Nullable Void> endAfter(CompletionStage<?> ready) {
		return ready.<CompletionStage<@Nullable Void>>handle((nothing, failure) -> end())
			.<@Nullable Void>thenCompose((ending) -> ending)
			.toCompletableFuture();
	}

	/** The same after a failure, which stays the one that is told. */
	Mono<Void> releaseAfter(Throwable failure) {
		return release().onErrorResume((releaseFailure) -> {
			failure.addSuppressed(releaseFailure);
			return Mono.empty();
		});
	}

	private CompletionStage<@Nullable Void> end() {
		if (this.acquisition.cancel(false) || this.acquisition.isCompletedExceptionally()) {
			return CompletableFuture.completedStage(null);
		}
		HeldLock current = this.held;
		return (current != null) ? current.releaseAsync() : this.acquisition.join().releaseAsync();
	}

}
