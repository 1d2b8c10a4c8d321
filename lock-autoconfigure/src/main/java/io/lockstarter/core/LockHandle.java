package io.lockstarter.core;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

/**
 * One acquisition of a lock, to be closed exactly once.
 * <p>
 * Thread-safe: any thread may query a handle. If its owner is a thread, only that thread
 * may close the handle, unless the lock {@link #detachFromThread is detached} from the
 * thread. A handle with an explicit owner may be closed by any thread.
 */
public interface LockHandle extends AutoCloseable {

	/**
	 * Returns the lock's name.
	 * @return the name as requested
	 */
	String name();

	/**
	 * Returns the name of the lock in meters, which many locks may share.
	 * @return the metric name
	 */
	String metricName();

	/**
	 * Returns the name of the lock's registry.
	 * @return the name, or {@code null} if there is only one registry
	 */
	default @Nullable String registry() {
		return null;
	}

	/**
	 * Returns the type of the lock.
	 * @return the type
	 */
	LockType type();

	/**
	 * Returns the number of permits of the lock.
	 * @return the number of permits; 1 for an exclusive hold or a reader
	 */
	int permits();

	/**
	 * Returns the owner of the hold.
	 * @return the owner; if several locks were acquired as one, the owner of the first of
	 * its {@link #parts()}, which may have different owners
	 */
	LockOwner owner();

	/**
	 * Returns the fencing token of this hold, which is strictly greater than the token of
	 * every earlier hold of the same lock. Pass the token to the protected resource,
	 * which refuses every token below the highest one it has seen; that makes a stale
	 * holder harmless. Tokens of readers and of holders of permits that hold the lock
	 * together are unique but have no particular order. Each is greater than those of all
	 * writers before, and less than those of all writers after.
	 * @return the token, which stays the same even when the lock is lost
	 * @throws UnsupportedOperationException if several locks were acquired as one: each
	 * of its {@link #parts()} has its own token
	 */
	long fencingToken();

	/**
	 * Returns the handles of the single locks if several locks were acquired as one.
	 * @return the handles in the order of acquisition; usually only this handle
	 */
	default List<LockHandle> parts() {
		return List.of(this);
	}

	/**
	 * Returns whether the lock is held and its lease has not expired by the local clock.
	 * Costs no round trip.
	 * @return {@code false} after release or loss
	 */
	boolean isValid();

	/**
	 * Returns the time for which the lease is still known to last, counted from before
	 * the request that confirmed the lease was sent.
	 * @return the remaining lease, zero after release or loss
	 */
	Duration remainingLease();

	/**
	 * Extends the lease so that it ends no earlier than the given time from now. Costs
	 * one round trip. The lease is never shortened.
	 * @param lease the required lease, counted from now
	 * @throws LockLostException if the lock was lost
	 * @throws LockNotHeldException if the lock was released before
	 * @throws LockBackendException if the backend did not confirm in time; the lease is
	 * then unchanged
	 */
	void extend(Duration lease);

	/**
	 * Extends the lease as {@link #extend} does, without waiting for the backend's reply.
	 * @param lease the required lease, counted from now
	 * @return completes when the backend has confirmed the lease; exceptionally with the
	 * errors of {@link #extend}
	 */
	default CompletionStage<@Nullable Void> extendAsync(Duration lease) {
		return CompletableFuture.runAsync(() -> extend(lease)).<@Nullable Void>thenApply((nothing) -> null);
	}

	/**
	 * Ensures that the lease lasts at least this much longer when this method returns. If
	 * it already does, the method returns at once, without a command. Otherwise it
	 * extends the lease, by a tenth more than requested, so that the next call is free.
	 * Call this method before a step that must not outlive the lock.
	 * @param remaining the time that the next step needs
	 * @throws LockLostException if the lock was lost
	 * @throws LockNotHeldException if the lock was released before
	 * @throws LockBackendException if the lease was too short and could not be extended
	 */
	default void ensureLease(Duration remaining) {
		Duration margin = remaining.dividedBy(10).plusMillis(100);
		while (remainingLease().compareTo(remaining) < 0) {
			extend(remaining.plus(margin));
			// The lease counts from before the command, so a slow reply may use up the
			// margin.
			margin = margin.multipliedBy(4);
		}
	}

	/**
	 * Releases the lock without waiting for the backend's reply.
	 * @return completes when the release has completed; exceptionally with the errors of
	 * {@link #close()}
	 */
	CompletionStage<@Nullable Void> releaseAsync();

	/**
	 * Releases the lock after a delay, without waiting for that. The lease lasts at least
	 * that long even if this JVM ends before. Needs an explicit {@link LockOwner}, which
	 * must not use the handle again.
	 * @param delay the time for which the lock stays held
	 * @return completes when the release has completed, as for {@link #releaseAsync()}
	 */
	default CompletionStage<@Nullable Void> releaseAfter(Duration delay) {
		Executor later = CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS);
		return CompletableFuture.supplyAsync(this::releaseAsync, later).thenCompose((released) -> released);
	}

	/**
	 * Detaches a lock from the thread that owns it: the lock does not end with the
	 * thread, and any thread may release it. Intended for work that ends on another
	 * thread than it began, such as a transaction. Does nothing if the owner is not a
	 * thread.
	 * @param again whether the thread may still re-enter the lock as its owner; called on
	 * that thread, must return quickly and must not call this lock
	 */
	default void detachFromThread(BooleanSupplier again) {
	}

	/**
	 * Releases the lock. If the backend is unreachable, the release continues in the
	 * background until the lease has ended, and this method returns normally, because the
	 * lock protected its holder until the release began.
	 * @throws LockLostException if the lock was held but had been lost before
	 * @throws LockNotHeldException if the lock was released before, or if the calling
	 * thread is not the owner and the lock {@link #detachFromThread is not detached} from
	 * the owner
	 */
	@Override
	void close();

}
