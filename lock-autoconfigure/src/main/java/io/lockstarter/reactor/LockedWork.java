package io.lockstarter.reactor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

/**
 * What one subscription does under its lock. Each method is called once at the most,
 * wherever the subscription has got to.
 *
 * @param <T> what the work emits
 */
public interface LockedWork<T> {

	/**
	 * Ask for the lock.
	 * @return completes with the hold; cancelling it withdraws the request
	 */
	CompletableFuture<LockHandle> acquire();

	/**
	 * The lock is granted, and the work about to begin.
	 * @param lock the hold
	 * @return the locks under which the work runs
	 */
	LockContext granted(LockHandle lock);

	/**
	 * Begin the work. {@link LockContext#current()} is the hold meanwhile.
	 * @return what is subscribed to under the lock
	 * @throws Throwable if the work fails at once
	 */
	Publisher<? extends T> begin() throws Throwable;

	/**
	 * The lock was not free in time.
	 * @param failure tells so
	 * @return what takes the place of the work
	 * @throws Throwable what is told instead
	 */
	Publisher<? extends T> refused(LockAcquisitionTimeoutException failure) throws Throwable;

	/**
	 * The work has completed or failed, or was told to stop, which may take its time.
	 * @return completes when nothing of it runs any more
	 */
	default CompletionStage<?> ended() {
		return CompletableFuture.completedStage(null);
	}

	/**
	 * Return whether somebody else releases the lock that was granted.
	 * @param ended completes when nothing of the work runs any more
	 * @return whether the lock is kept beyond that
	 */
	default boolean isKept(CompletionStage<?> ended) {
		return false;
	}

	/**
	 * Release the lock that was granted.
	 * @param lock the hold
	 * @return completes when the release is settled
	 */
	default CompletionStage<@Nullable Void> release(LockHandle lock) {
		return lock.releaseAsync();
	}

}
