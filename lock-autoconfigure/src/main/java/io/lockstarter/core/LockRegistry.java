package io.lockstarter.core;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Gives locks to code, as {@code @DistributedLock} does to methods. A Spring bean.
 * Thread-safe.
 */
public interface LockRegistry {

	/**
	 * Return the name of this registry. Requests that name no registry get their locks
	 * from the one that they are made to.
	 * @return the name, or {@code null} if there is only one registry
	 */
	default @Nullable String registry() {
		return null;
	}

	/**
	 * Return a lock as a {@link java.util.concurrent.locks.Lock}, owned by threads,
	 * renewed while held.
	 * @param name the lock's name
	 * @return a view of the lock; cheap, holds nothing until it is locked
	 */
	default NamedLock get(String name) {
		return get(LockRequest.of(name));
	}

	/**
	 * Return a lock as a {@link java.util.concurrent.locks.Lock} under the given terms.
	 * Its own methods decide how long to wait, and the calling thread is the owner where
	 * the request names none.
	 * @param request the terms
	 * @return a view of the lock; cheap, holds nothing until it is locked
	 */
	NamedLock get(LockRequest request);

	/**
	 * Return a lock as a {@link java.util.concurrent.locks.ReadWriteLock}, owned by
	 * threads, renewed while held. For other terms, ask for either side by
	 * {@link #get(LockRequest)} with its {@link LockType}.
	 * @param name the lock's name
	 * @return a view of the lock; cheap, holds nothing until one of its sides is locked
	 */
	default NamedReadWriteLock readWriteLock(String name) {
		return ReadWriteSides.of(this, LockRequest.of(name));
	}

	/**
	 * Take a lock, waiting at most the request's wait time.
	 * @param request the name and terms
	 * @return the hold, to be closed by its owner
	 * @throws LockAcquisitionTimeoutException if it was not free in time
	 * @throws LockUpgradeException if the owner holds the lock as a reader, or by a
	 * permit, and asks for more
	 * @throws IllegalArgumentException if there is no registry of the request's name, or
	 * its lease time is not between 100 ms and 365 days
	 * @throws LockBackendException if the backend failed or could not be reached
	 * @throws LockRegistryClosedException if the application is shutting down
	 * @throws InterruptedException if the calling thread was interrupted; the caller
	 * holds nothing then
	 */
	LockHandle acquire(LockRequest request) throws InterruptedException;

	/**
	 * Take a lock if it is free within the request's wait time.
	 * @param request the name and terms
	 * @return the hold, or empty if it was not free in time
	 * @throws LockBackendException if the backend failed or could not be reached
	 * @throws LockRegistryClosedException if the application is shutting down
	 * @throws InterruptedException if the calling thread was interrupted; the caller
	 * holds nothing then
	 */
	default Optional<LockHandle> tryAcquire(LockRequest request) throws InterruptedException {
		try {
			return Optional.of(acquire(request));
		}
		catch (LockAcquisitionTimeoutException ex) {
			return Optional.empty();
		}
	}

	/**
	 * Take a lock without blocking the calling thread. A request without an owner gets
	 * one of its own, so the handle may be closed on any thread. Cancelling the future
	 * withdraws the request; a grant that comes too late is released at once.
	 * @param request the name and terms
	 * @return completes with the hold, or exceptionally with the errors of
	 * {@link #acquire(LockRequest)}
	 */
	CompletableFuture<LockHandle> acquireAsync(LockRequest request);

	/**
	 * Take several locks as one: all of them or none. They are taken in the order of
	 * their names, so that two who want the same locks cannot wait for each other, and
	 * within one deadline, which is that of the shortest wait time. A name that occurs
	 * twice is taken once, as a reader only if nothing else is asked.
	 * <p>
	 * If the requests name one owner, it gets all locks, and the calling thread if they
	 * name none. If they name several, each has to name the one who gets its lock.
	 * @param requests the locks, of any types
	 * @return the hold of all, whose single handles are its {@link LockHandle#parts()}
	 * @throws IllegalArgumentException if there is no request, or it is not clear who
	 * gets which lock
	 * @throws LockAcquisitionTimeoutException if one was not free in time
	 * @throws LockLostException if one was lost while the others were waited for
	 * @throws LockBackendException if the backend failed or could not be reached
	 * @throws LockRegistryClosedException if the application is shutting down
	 * @throws InterruptedException if the calling thread was interrupted; the caller
	 * holds nothing then
	 */
	LockHandle acquireAll(Collection<LockRequest> requests) throws InterruptedException;

	/**
	 * Take several locks as one without blocking the calling thread. Requests that name
	 * no owner get a new one, which they share. Cancelling the future withdraws the
	 * request and releases what was taken.
	 * @param requests the locks, of any types
	 * @return completes with the hold of all, or exceptionally with the errors of
	 * {@link #acquireAll(Collection)}
	 */
	CompletableFuture<LockHandle> acquireAllAsync(Collection<LockRequest> requests);

	/**
	 * Do some work under a lock. {@link LockContext#current()} is the hold meanwhile.
	 * <p>
	 * The lock is released when the work has ended, even if the caller has a transaction
	 * open: the next holder does not see what that transaction has written, because it is
	 * committed later. Begin the transaction within the work.
	 * @param <T> what the work results in
	 * @param <E> what the work may throw
	 * @param request the name and terms, which may be {@link LockRequest#fenced()}
	 * @param work what to do, on the calling thread
	 * @return what the work returns
	 * @throws E if the work throws it; a failed release is suppressed in it
	 * @throws LockAcquisitionTimeoutException if the lock was not free in time; the work
	 * is not done then
	 * @throws LockLostException if the lock was lost before the work was done
	 * @throws LockBackendException if the backend failed or could not be reached
	 * @throws LockRegistryClosedException if the application is shutting down
	 * @throws InterruptedException if the calling thread was interrupted while it waited
	 * for the lock; the work is not done then
	 */
	default <T extends @Nullable Object, E extends Exception> T execute(LockRequest request, LockedCallable<T, E> work)
			throws E, InterruptedException {
		try (LockHandle lock = acquire(request); LockContext.Scope scope = LockContext.enter(lock)) {
			return work.call();
		}
	}

	/**
	 * Do some work that has no result under a lock. A transaction belongs within the
	 * work, as with {@link #execute(LockRequest, LockedCallable)}.
	 * @param <E> what the work may throw
	 * @param request the name and terms
	 * @param work what to do, on the calling thread
	 * @throws E if the work throws it; a failed release is suppressed in it
	 * @throws InterruptedException if the calling thread was interrupted while it waited
	 * for the lock; the work is not done then
	 * @see #execute(LockRequest, LockedCallable)
	 */
	default <E extends Exception> void execute(LockRequest request, LockedRunnable<E> work)
			throws E, InterruptedException {
		LockedCallable<Boolean, E> callable = () -> {
			work.run();
			return true;
		};
		execute(request, callable);
	}

	/**
	 * Do some work under a lock, from when the lock is there to when the work's stage is
	 * done, without blocking the calling thread. {@link LockContext#current()} is the
	 * hold while the work begins.
	 * @param <T> what the work results in
	 * @param request the name and terms; without an owner the work gets one of its own,
	 * and a thread cannot be one
	 * @param work what to do, as a rule begun on a thread of the registry
	 * @return completes after the release, as the stage has: or exceptionally with the
	 * errors of {@link #execute(LockRequest, LockedCallable)}, among them
	 * {@link IllegalArgumentException} for such an owner. Cancelling it withdraws the
	 * request. Work that has begun is not cancelled with it, and the lock is held until
	 * its stage is done
	 */
	default <T extends @Nullable Object> CompletableFuture<T> executeAsync(LockRequest request,
			Supplier<? extends CompletionStage<T>> work) {
		try {
			request.requireNoThread();
		}
		catch (IllegalArgumentException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		return new LockedStage<T>(work).start(acquireAsync(request));
	}

	/**
	 * Work under a lock that has a result.
	 *
	 * @param <T> the result
	 * @param <E> what it may throw
	 */
	@FunctionalInterface
	interface LockedCallable<T extends @Nullable Object, E extends Exception> {

		/**
		 * Do the work.
		 * @return its result
		 * @throws E if it fails
		 */
		T call() throws E;

	}

	/**
	 * Work under a lock that has no result.
	 *
	 * @param <E> what it may throw
	 */
	@FunctionalInterface
	interface LockedRunnable<E extends Exception> {

		/**
		 * Do the work.
		 * @throws E if it fails
		 */
		void run() throws E;

	}

}
