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
 * Thread-safe: any thread may ask it. A handle whose owner is a thread may be closed only
 * by that thread, unless it {@link #outliveThread outlives} it; one with an explicit
 * owner may be closed by any.
 */
public interface LockHandle extends AutoCloseable {

	/**
	 * Return the lock's name.
	 * @return the name as it was asked for
	 */
	String name();

	/**
	 * Return the name under which meters count the lock, which many locks may share.
	 * @return the metric name
	 */
	String metricName();

	/**
	 * Return the name of the registry that the lock is of.
	 * @return the name, or {@code null} if there is only one registry
	 */
	default @Nullable String registry() {
		return null;
	}

	/**
	 * Return how the lock excludes others.
	 * @return the type
	 */
	LockType type();

	/**
	 * Return how many may hold the lock at a time.
	 * @return the number of permits; 1 if this hold excludes all others, or reads
	 */
	int permits();

	/**
	 * Return who holds the lock.
	 * @return the owner; that of the first where several locks were taken as one, whose
	 * {@link #parts()} may have different owners
	 */
	LockOwner owner();

	/**
	 * Return the fencing token of this hold: strictly greater than the token of every
	 * earlier hold of the same lock. Hand it to the guarded resource, which refuses any
	 * token below the highest it has seen; that makes a stale holder harmless. Readers
	 * and owners of permits that hold the lock together have tokens in no particular
	 * order, no two the same; the token of each is greater than those of all writers
	 * before, and less than those of all after.
	 * @return the token, which stays the same even when the lock is lost
	 * @throws UnsupportedOperationException if several locks were taken as one: each of
	 * its {@link #parts()} has a token of its own
	 */
	long fencingToken();

	/**
	 * Return the handles of the single locks, where several were taken as one.
	 * @return the handles in the order in which they were taken; just this one as a rule
	 */
	default List<LockHandle> parts() {
		return List.of(this);
	}

	/**
	 * Return whether the lock is held and its lease has not run out on the local clock.
	 * Costs no round trip.
	 * @return {@code false} after release or loss
	 */
	boolean isValid();

	/**
	 * Return for how long the lease is still known to last, counted from before the
	 * request that confirmed it was sent.
	 * @return the remaining lease, zero after release or loss
	 */
	Duration remainingLease();

	/**
	 * Extend the lease so that it ends no earlier than the given time from now. One round
	 * trip. A lease is never shortened.
	 * @param lease the wanted lease, counted from now
	 * @throws LockLostException if the lock was lost
	 * @throws LockNotHeldException if it was released before
	 * @throws LockBackendException if the backend did not confirm in time; the lease is
	 * then as before
	 */
	void extend(Duration lease);

	/**
	 * Extends the lease as {@link #extend} does, without waiting for the backend's reply.
	 * @param lease the wanted lease, counted from now
	 * @return completes when the backend has confirmed the lease; exceptionally with the
	 * errors of {@link #extend}
	 */
	default CompletionStage<@Nullable Void> extendAsync(Duration lease) {
		return CompletableFuture.runAsync(() -> extend(lease)).<@Nullable Void>thenApply((nothing) -> null);
	}

	/**
	 * Ensures that the lease lasts at least this much longer when this method returns. If
	 * it already does, the method returns at once, without a command. Otherwise it
	 * extends the lease, by a tenth more than asked for, so that the next call is free.
	 * Call this method before a step that must not outlive the lock.
	 * @param remaining the time that the next step needs
	 * @throws LockLostException if the lock was lost
	 * @throws LockNotHeldException if it was released before
	 * @throws LockBackendException if the lease was too short and could not be extended
	 */
	default void ensureLease(Duration remaining) {
		Duration margin = remaining.dividedBy(10).plusMillis(100);
		while (remainingLease().compareTo(remaining) < 0) {
			extend(remaining.plus(margin));
			// The lease counts from before the command: a slow reply may have used up the
			// margin
			margin = margin.multipliedBy(4);
		}
	}

	/**
	 * Release the lock without waiting for the backend's reply.
	 * @return completes when the release is settled: exceptionally with the errors of
	 * {@link #close()}
	 */
	CompletionStage<@Nullable Void> releaseAsync();

	/**
	 * Release the lock when some more time has passed, without waiting for that. Its
	 * lease lasts at least that long even if this JVM ends before. Needs an explicit
	 * {@link LockOwner}, who must not use the handle any more.
	 * @param delay for how long the lock is kept
	 * @return completes when the release is settled, as {@link #releaseAsync()} does
	 */
	default CompletionStage<@Nullable Void> releaseAfter(Duration delay) {
		Executor later = CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS);
		return CompletableFuture.supplyAsync(this::releaseAsync, later).thenCompose((released) -> released);
	}

	/**
	 * Let a lock that belongs to a thread go on without it: it does not end with the
	 * thread, and any thread may release it. For what is completed on another thread than
	 * the one that began it, such as a transaction. Changes nothing where the owner is
	 * not a thread.
	 * @param again whether the thread may still take the lock again, as its owner; asked
	 * on that thread, and quick to answer without calling this lock
	 */
	default void outliveThread(BooleanSupplier again) {
	}

	/**
	 * Release the lock. When the backend cannot be reached the release goes on in the
	 * background until the lease has ended, and this method returns normally: the lock
	 * protected its holder to the end.
	 * @throws LockLostException if the lock was held but had been lost before
	 * @throws LockNotHeldException if it was released before, or the calling thread is
	 * not the owner and the lock {@link #outliveThread does not outlive} that one
	 */
	@Override
	void close();

}
