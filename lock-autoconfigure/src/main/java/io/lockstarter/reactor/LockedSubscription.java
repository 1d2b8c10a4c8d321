package io.lockstarter.reactor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Lock request of one subscription. However and whenever the subscription ends, the
 * request is withdrawn or its lock is released, exactly once.
 *
 * @param <T> the type of the elements
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
	 * Requests the lock.
	 * @param work the work to run under the lock
	 * @param end the end of the subscription, for which others may wait
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

	/** Returns the lock. A cancelled subscriber leaves the withdrawal to the release. */
	Mono<LockHandle> lock() {
		return Mono.fromFuture(this.acquisition, true);
	}

	/**
	 * Records that the lock was granted and the work is about to run.
	 * @return the locks under which the work runs
	 */
	LockContext hold(LockHandle lock) {
		LockContext locks = this.work.granted(lock);
		this.granted = true;
		return locks;
	}

	/**
	 * Begins the work, unless the subscription has ended meanwhile. From now on, the end
	 * of the subscription waits for {@link #begun()}, because the work cannot be
	 * cancelled before.
	 */
	synchronized boolean begin() {
		this.beginning = !this.ended;
		return this.beginning;
	}

	void begun() {
		this.begun.complete(null);
	}

	/**
	 * Withdraws the request or releases the lock on subscription, or leaves the release
	 * to its new owner. The first subscriber receives the outcome, and no subscriber can
	 * cancel it.
	 */
	Mono<Void> release() {
		return Mono.defer(() -> {
			CompletionStage<?> ready = beginToEnd();
			if (ready == null) {
				return Mono.empty();
			}
			boolean staysHeld = this.granted && this.work.staysHeld(ready);
			CompletableFuture<@Nullable Void> last = staysHeld ? completed(ready) : endAfter(ready);
			this.end.with(last);
			return Mono.fromFuture(last, true);
		});
	}

	private static CompletableFuture<@Nullable Void> completed(CompletionStage<?> ready) {
		return ready.<@Nullable Void>handle((nothing, failure) -> null).toCompletableFuture();
	}

	/**
	 * Begins the end of the subscription.
	 * @return completes when the lock may be released, or {@code null} if its release has
	 * already begun
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

	/**
	 * Does the same as {@link #release()} after a failure, which remains the primary
	 * exception.
	 */
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
