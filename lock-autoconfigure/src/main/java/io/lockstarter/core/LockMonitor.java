package io.lockstarter.core;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * A view of the locks of this JVM, for endpoints and meters. Thread-safe; what it returns
 * are snapshots.
 */
public interface LockMonitor {

	/**
	 * Return the locks this JVM holds.
	 * @return one entry for each lock
	 */
	List<Held> held();

	/**
	 * Return the requests of this JVM that wait.
	 * @return one entry for each request, oldest first for each lock
	 */
	List<Waiting> waiting();

	/**
	 * Return how many locks this JVM holds.
	 * @return the number of entries in {@link #held()}
	 */
	int heldCount();

	/**
	 * Return how many requests of this JVM wait.
	 * @return the number of entries in {@link #waiting()}
	 */
	int waitingCount();

	/**
	 * Ask the backend how it is, in bounded time.
	 * @return completes with the state; never exceptionally
	 */
	CompletableFuture<Health> health();

	/**
	 * A lock that is held.
	 *
	 * @param name the lock's name
	 * @param group the group it counts under
	 * @param type its type
	 * @param owner who holds it
	 * @param holds the hold count
	 * @param since when it was acquired
	 * @param fencingToken the hold's token
	 * @param remainingLease how long the lease still lasts
	 * @param watchdog what the watchdog does for it
	 */
	record Held(String name, String group, LockType type, String owner, int holds, Instant since, long fencingToken,
			Duration remainingLease, Watchdog watchdog) {
	}

	/**
	 * A request that waits.
	 *
	 * @param name the lock's name
	 * @param group the group it counts under
	 * @param type the lock's type
	 * @param owner who wants it
	 * @param since since when
	 * @param position the place in this JVM's queue for the lock, from 1
	 */
	record Waiting(String name, String group, LockType type, String owner, Instant since, int position) {
	}

	/**
	 * What the watchdog does for a lock.
	 */
	enum Watchdog {

		/** The lease is renewed. */
		RENEWING,
		/** The latest renewal failed and is being repeated. */
		FAILING,
		/** The lease is fixed. */
		FIXED_LEASE,
		/** Renewal has ended because the owner ended or the longest hold time is over. */
		STOPPED

	}

	/**
	 * How the backend is.
	 *
	 * @param up whether locks can be taken and kept
	 * @param details what was found, by name
	 */
	record Health(boolean up, Map<String, Object> details) {
	}

}
