package io.lockstarter.reactor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * One subscription's request for its lock. However the subscription ends, and at whatever
 * stage of the acquisition, the request is withdrawn or what it was granted is released,
 * once.
 *
 * @param <T> what its work emits
 */
final class LockedSubscription<T> {

	private final LockedWork<T> work;

	private final SubscriptionEnd end;

	private final CompletableFuture<LockHandle> acquisition;

	private final CompletableFuture<@Nullable Void> begun = new CompletableFuture<>();

	private boolean beginning;

	private boolean ended;

	private volatile boolean granted;

	/**
	 * Request the lock.
	 * @param work what is to be done under it
	 * @param end who waits for the end of the subscription
	 */
	LockedSubscription(LockedWork<T> work, SubscriptionEnd end) {
		this.work = work;
		this.end = end;
		this.acquisition = work.acquire();
		end.begin();
	}

	LockedWork<T> work() {
		return this.work;
	}

	/** The lock; a cancelled subscriber leaves the withdrawal to the release. */
	Mono<LockHandle> lock() {
		return Mono.fromFuture(this.acquisition, true);
	}

	/**
	 * The lock is granted, and the work about to run.
	 * @return the locks under which it runs
	 */
	LockContext hold(LockHandle lock) {
		LockContext locks = this.work.granted(lock);
		this.granted = true;
		return locks;
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
	 * Withdraw or release on subscription, or leave the release to somebody else. Whoever
	 * comes first is told the outcome, and nobody can cancel it.
	 */
	Mono<Void> release() {
		return Mono.defer(() -> {
			CompletionStage<?> ready = beginToEnd();
			if (ready == null) {
				return Mono.empty();
			}
			boolean kept = this.granted && this.work.isKept(ready);
			CompletableFuture<@Nullable Void> last = kept ? settled(ready) : endAfter(ready);
			this.end.with(last);
			return Mono.fromFuture(last, true);
		});
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
		return this.beginning ? this.begun.thenCompose((nothing) -> this.work.ended())
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
		LockHandle lock = this.acquisition.join();
		return this.granted ? this.work.release(lock) : lock.releaseAsync();
	}

}
