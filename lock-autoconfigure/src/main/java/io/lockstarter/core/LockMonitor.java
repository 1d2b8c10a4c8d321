package io.lockstarter.core;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * View of the locks of this JVM, for endpoints and meters. Thread-safe; all results are
 * snapshots.
 */
public interface LockMonitor {

	/**
	 * Returns the name of the registry of these locks.
	 * @return the name, or {@code null} if there is only one registry
	 */
	default @Nullable String registry() {
		return null;
	}

	/**
	 * Returns the instance that others see as the holder of this JVM's locks.
	 * @return the instance
	 */
	String instance();

	/**
	 * Returns the locks that this JVM holds.
	 * @return one entry for each hold: several for a lock that is shared
	 */
	List<Held> held();

	/**
	 * Returns the waiting requests of this JVM.
	 * @return one entry for each request, oldest first for each lock
	 */
	List<Waiting> waiting();

	/**
	 * Returns the number of locks that this JVM holds.
	 * @return the number of entries in {@link #held()}
	 */
	int heldCount();

	/**
	 * Returns the number of waiting requests of this JVM.
	 * @return the number of entries in {@link #waiting()}
	 */
	int waitingCount();

	/**
	 * Queries the backend for the holders of a lock in any JVM, in bounded time.
	 * @param name the lock's name
	 * @return completes with a snapshot; exceptionally with {@link LockBackendException}
	 */
	CompletableFuture<LockSnapshot> inspect(String name);

	/**
	 * Queries the backend for a page of the locks that are held in any JVM, in bounded
	 * time. A page contains each lock once, but a lock may be on several pages,
	 * especially of a quorum. If the backend cannot list its locks, or may not, the page
	 * contains the locks that this JVM holds or waits for.
	 * @param from the start of the page: empty, or {@link LockPage#next()} of the page
	 * before
	 * @param size the number of locks that fill a page, which may contain some more
	 * @return completes with a page; exceptionally with {@link LockBackendException}, or
	 * with {@link IllegalArgumentException} if {@code from} is not the start of a page
	 */
	CompletableFuture<LockPage> locks(String from, int size);

	/**
	 * Checks the health of the backend, in bounded time.
	 * @return completes with the health; never exceptionally
	 */
	CompletableFuture<Health> health();

	/**
	 * Force-releases a lock from all its holders, including all readers: a last resort
	 * for a holder that hangs, or for locks that were left behind. Waiting requests
	 * continue at once.
	 * <p>
	 * A former holder continues its work as well. It learns of the loss by a message if
	 * it is subscribed, otherwise by its next renewal, or when it extends or releases the
	 * lock. Until then it may overlap with the next holder. Only the fencing token
	 * prevents harm, because every later hold has a greater token.
	 * <p>
	 * May be repeated: each call affects only the current holders.
	 * @param name the lock's name
	 * @return the former holders; empty if the lock was free
	 * @throws LockBackendException if the backend failed or did not confirm in time. The
	 * lock may or may not have been released then, and the detail names the holders that
	 * are known to have lost it.
	 */
	List<Holder> forceRelease(String name);

	/**
	 * Lock that is held.
	 *
	 * @param name the lock's name
	 * @param metricName the lock's name in meters
	 * @param type the lock's type
	 * @param owner the owner
	 * @param holdCount the hold count
	 * @param since the time of the acquisition
	 * @param fencingToken the hold's token
	 * @param remainingLease the remaining lease
	 * @param renewal the state of the renewal
	 * @param permits the number of permits, as requested by this owner
	 * @param heldFor the time for which the lock has been held, by the clock that is
	 * ahead
	 */
	record Held(String name, String metricName, LockType type, LockOwner owner, int holdCount, Instant since,
			long fencingToken, Duration remainingLease, RenewalState renewal, int permits, Duration heldFor) {
	}

	/**
	 * Waiting request.
	 *
	 * @param name the lock's name
	 * @param metricName the lock's name in meters
	 * @param type the lock's type
	 * @param owner the owner that will hold the lock
	 * @param since the time of the request, the same in all snapshots
	 * @param position the position in this JVM's queue for the lock, from 1
	 * @param permits the number of permits, as requested by this owner
	 * @param waited the time for which the request has waited
	 */
	record Waiting(String name, String metricName, LockType type, LockOwner owner, Instant since, int position,
			int permits, Duration waited) {
	}

	/**
	 * Snapshot of a lock in the backend.
	 *
	 * @param name the lock's name
	 * @param holders the holders: none, one, or several readers or holders of permits
	 * @param waiting the number of waiting requests, as each JVM reported with its last
	 * request, about a second ago at most; requests that wait in the JVM of an exclusive
	 * holder are known only to that JVM
	 * @param waitingInstances the number of JVMs of the waiting requests
	 * @param waitingSince the time from which the first of these JVMs has its queue
	 * position, by the backend's clock, or {@code null} if no request waits
	 */
	record LockSnapshot(String name, List<HolderSnapshot> holders, int waiting, int waitingInstances,
			@Nullable Instant waitingSince) {
	}

	/**
	 * Snapshot of a holder.
	 *
	 * @param holder the instance, the times, and the first owner; after a hand-over,
	 * another owner of the same instance may hold the lock
	 * @param fencingToken the lowest possible token of the holder, or 0 if the backend
	 * does not know it
	 * @param permits the number of permits, as requested by this holder; 1 for an
	 * exclusive holder or a reader
	 * @param since the time of the acquisition, by the backend's clock
	 */
	record HolderSnapshot(Holder holder, long fencingToken, int permits, Instant since) {
	}

	/**
	 * Page of the locks in the backend.
	 *
	 * @param locks the locks, by name
	 * @param next the start of the next page; empty if there is none
	 * @param note the reason why the page contains only locks known to this JVM, or
	 * {@code null} if it contains all
	 */
	record LockPage(List<LockSnapshot> locks, String next, @Nullable String note) {
	}

	/**
	 * States of the renewal of a lock.
	 */
	enum RenewalState {

		/** The lease is renewed. */
		RENEWING,
		/** The latest renewal failed and is being repeated. */
		FAILING,
		/** The lease is fixed. */
		FIXED_LEASE,
		/**
		 * Renewal has ended because the owner ended or the maximum hold time has passed.
		 */
		STOPPED

	}

	/**
	 * Health of the backend.
	 *
	 * @param up whether locks can be acquired and kept
	 * @param details the findings, by name
	 */
	record Health(boolean up, Map<String, Object> details) {
	}

}
