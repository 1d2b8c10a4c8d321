package io.lockstarter.core;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Registry of locks for code, as {@code @DistributedLock} is for methods. A Spring bean.
 * Thread-safe.
 */
public interface LockRegistry {

	/**
	 * Returns the name of this registry. A request without a registry name is served by
	 * the registry that receives it.
	 * @return the name, or {@code null} if there is only one registry
	 */
	default @Nullable String registry() {
		return null;
	}

	/**
	 * Returns a lock as a {@link java.util.concurrent.locks.Lock}, which is owned by
	 * threads and renewed while held.
	 * @param name the lock's name
	 * @return a view of the lock; cheap, holds nothing until it is locked
	 */
	default NamedLock get(String name) {
		return get(LockRequest.of(name));
	}

	/**
	 * Returns a lock as a {@link java.util.concurrent.locks.Lock} with options. The
	 * methods of the lock determine the wait time. Without an owner in the request, the
	 * calling thread is the owner.
	 * @param request the name and options
	 * @return a view of the lock; cheap, holds nothing until it is locked
	 */
	NamedLock get(LockRequest request);

	/**
	 * Returns a lock as a {@link java.util.concurrent.locks.ReadWriteLock}, which is
	 * owned by threads and renewed while held. For other options, get either side by
	 * {@link #get(LockRequest)} with its {@link LockType}.
	 * @param name the lock's name
	 * @return a view of the lock; cheap, holds nothing until one of its sides is locked
	 */
	default NamedReadWriteLock readWriteLock(String name) {
		return ReadWriteSides.of(this, LockRequest.of(name));
	}

	/**
	 * Acquires a lock, waiting at most the request's wait time.
	 * @param request the name and options
	 * @return the hold, to be closed by its owner
	 * @throws LockAcquisitionTimeoutException if the lock was not free in time
	 * @throws LockUpgradeException if the owner holds the lock as a reader or by a
	 * permit, and requests more
	 * @throws IllegalArgumentException if the registry that the request names does not
	 * exist, or the lease time is not between 100 ms and 365 days
	 * @throws LockBackendException if the backend failed or is unreachable
	 * @throws LockRegistryClosedException if the application is shutting down
	 * @throws InterruptedException if the calling thread was interrupted; the caller
	 * holds nothing then
	 */
	LockHandle acquire(LockRequest request) throws InterruptedException;

	/**
	 * Acquires a lock if it is free within the request's wait time.
	 * @param request the name and options
	 * @return the hold, or empty if the lock was not free in time
	 * @throws LockBackendException if the backend failed or is unreachable
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
	 * Acquires a lock without blocking the calling thread. A request without an owner
	 * gets a new owner, so the handle may be closed on any thread. Cancelling the future
	 * withdraws the request; a grant that arrives too late is released at once.
	 * @param request the name and options
	 * @return completes with the hold, or exceptionally with the errors of
	 * {@link #acquire(LockRequest)}
	 */
	CompletableFuture<LockHandle> acquireAsync(LockRequest request);

	/**
	 * Acquires several locks as one: all of them or none. The locks are acquired in the
	 * order of their names, so that two callers cannot deadlock, and within one deadline,
	 * which is that of the shortest wait time. A name that occurs twice is acquired once,
	 * as a reader only if all its requests are readers.
	 * <p>
	 * If the requests name one owner, that owner holds all locks; if they name none, the
	 * calling thread does. If they name several owners, each request has to name its
	 * owner.
	 * @param requests the locks, of any types
	 * @return the hold of all, whose single handles are its {@link LockHandle#parts()}
	 * @throws IllegalArgumentException if there is no request, or the owner of a lock is
	 * ambiguous
	 * @throws LockAcquisitionTimeoutException if a lock was not free in time
	 * @throws LockLostException if a lock was lost while waiting for the others
	 * @throws LockBackendException if the backend failed or is unreachable
	 * @throws LockRegistryClosedException if the application is shutting down
	 * @throws InterruptedException if the calling thread was interrupted; the caller
	 * holds nothing then
	 */
	LockHandle acquireAll(Collection<LockRequest> requests) throws InterruptedException;

	/**
	 * Acquires several locks as one without blocking the calling thread. Requests without
	 * an owner share a new owner. Cancelling the future withdraws the request and
	 * releases the locks that were acquired.
	 * @param requests the locks, of any types
	 * @return completes with the hold of all, or exceptionally with the errors of
	 * {@link #acquireAll(Collection)}
	 */
	CompletableFuture<LockHandle> acquireAllAsync(Collection<LockRequest> requests);

	/**
	 * Runs work under a lock. {@link LockContext#current()} is the hold meanwhile.
	 * <p>
	 * The lock is released when the work has ended, even if the caller has a transaction
	 * open: the next holder does not see what that transaction has written, because it is
	 * committed later. Begin the transaction within the work.
	 * @param <T> the type of the result
	 * @param <E> the type of the exception
	 * @param request the name and options, which may be {@link LockRequest#fenced()}
	 * @param work the work, which runs on the calling thread
	 * @return the result of the work
	 * @throws E if the work throws it; a failed release is suppressed in the exception
	 * @throws LockAcquisitionTimeoutException if the lock was not free in time; the work
	 * is then not run
	 * @throws LockLostException if the lock was lost before the work ended
	 * @throws LockBackendException if the backend failed or is unreachable
	 * @throws LockRegistryClosedException if the application is shutting down
	 * @throws InterruptedException if the calling thread was interrupted while it waited
	 * for the lock; the work is then not run
	 */
	default <T extends @Nullable Object, E extends Exception> T execute(LockRequest request, LockedCallable<T, E> work)
			throws E, InterruptedException {
		try (LockHandle lock = acquire(request); LockContext.Scope scope = LockContext.enter(lock)) {
			return work.call();
		}
	}

	/**
	 * Runs work without a result under a lock. A transaction belongs within the work, as
	 * with {@link #execute(LockRequest, LockedCallable)}.
	 * @param <E> the type of the exception
	 * @param request the name and options
	 * @param work the work, which runs on the calling thread
	 * @throws E if the work throws it; a failed release is suppressed in the exception
	 * @throws InterruptedException if the calling thread was interrupted while it waited
	 * for the lock; the work is then not run
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
	 * Runs asynchronous work under a lock, without blocking the calling thread. The lock
	 * is held until the stage of the work completes. {@link LockContext#current()} is the
	 * hold while the work begins.
	 * @param <T> the type of the result
	 * @param request the name and options. Without an owner the work gets a new owner. A
	 * thread cannot be the owner.
	 * @param work the work, which usually begins on a thread of the registry
	 * @return completes with the result of the stage after the release, or exceptionally
	 * with the errors of {@link #execute(LockRequest, LockedCallable)}, among them
	 * {@link IllegalArgumentException} for a thread as the owner. Cancelling the future
	 * withdraws the request. Work that has begun is not cancelled, and the lock is held
	 * until its stage completes.
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
	 * Work under a lock with a result.
	 *
	 * @param <T> the type of the result
	 * @param <E> the type of the exception
	 */
	@FunctionalInterface
	interface LockedCallable<T extends @Nullable Object, E extends Exception> {

		/**
		 * Runs the work.
		 * @return the result
		 * @throws E if the work fails
		 */
		T call() throws E;

	}

	/**
	 * Work under a lock without a result.
	 *
	 * @param <E> the type of the exception
	 */
	@FunctionalInterface
	interface LockedRunnable<E extends Exception> {

		/**
		 * Runs the work.
		 * @throws E if the work fails
		 */
		void run() throws E;

	}

}
