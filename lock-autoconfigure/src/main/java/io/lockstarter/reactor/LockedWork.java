package io.lockstarter.reactor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

/**
 * Work of one subscription under its lock. Each method is called at most once.
 *
 * @param <T> the type of the elements
 */
public interface LockedWork<T> {

	/**
	 * Requests the lock.
	 * @return completes with the hold; cancelling it withdraws the request
	 */
	CompletableFuture<LockHandle> acquire();

	/**
	 * Handles a granted lock, before the work begins.
	 * @param lock the hold
	 * @return the locks under which the work runs
	 */
	LockContext granted(LockHandle lock);

	/**
	 * Begins the work. {@link LockContext#current()} is the hold meanwhile.
	 * @return the publisher to subscribe to under the lock
	 * @throws Throwable if the work fails at once
	 */
	Publisher<? extends T> begin() throws Throwable;

	/**
	 * Handles a lock that was not free in time.
	 * @param failure the timeout
	 * @return the substitute of the work
	 * @throws Throwable the failure that the subscriber receives instead
	 */
	Publisher<? extends T> refused(LockAcquisitionTimeoutException failure) throws Throwable;

	/**
	 * Handles the end of the work, which has completed or failed, or was cancelled but
	 * may still be running.
	 * @return completes when no part of the work is running
	 */
	default CompletionStage<?> ended() {
		return CompletableFuture.completedStage(null);
	}

	/**
	 * Returns whether the lock stays held after the work, because something else releases
	 * it.
	 * @param ended completes when no part of the work is running
	 * @return whether the lock stays held
	 */
	default boolean staysHeld(CompletionStage<?> ended) {
		return false;
	}

	/**
	 * Releases the lock that was granted.
	 * @param lock the hold
	 * @return completes when the release has completed
	 */
	default CompletionStage<@Nullable Void> release(LockHandle lock) {
		return lock.releaseAsync();
	}

}
