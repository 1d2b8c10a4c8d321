package io.lockstarter.core;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * A view of the locks of this JVM, for endpoints and meters. Thread-safe; what it returns
 * are snapshots.
 */
public interface LockMonitor {

	/**
	 * Return the name of the registry whose locks these are.
	 * @return the name, or {@code null} if there is only one registry
	 */
	default @Nullable String registry() {
		return null;
	}

	/**
	 * Return what other instances see as the holder of this JVM's locks.
	 * @return the instance
	 */
	String instance();

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
	 * Ask the backend who has a lock, in whichever JVM, in bounded time.
	 * @param name the lock's name
	 * @return completes with what was seen; exceptionally with
	 * {@link LockBackendException}
	 */
	CompletableFuture<LockSnapshot> inspect(String name);

	/**
	 * Ask the backend for the locks that are held in any JVM, a page at a time, in
	 * bounded time. A backend that cannot list its locks, or is not allowed to, is asked
	 * for those that this JVM holds or waits for.
	 * @param from where to begin: empty, or what the page before says
	 * @param size how many locks fill a page, which may have some more
	 * @return completes with a page; exceptionally with {@link LockBackendException}, or
	 * with {@link IllegalArgumentException} if no page has said {@code from}
	 */
	CompletableFuture<LockPage> locks(String from, int size);

	/**
	 * Ask the backend how it is, in bounded time.
	 * @return completes with the state; never exceptionally
	 */
	CompletableFuture<Health> health();

	/**
	 * Take a lock away from whoever has it, all readers included: a last resort, for a
	 * holder that hangs or for locks that were left behind. Those who wait for the lock
	 * go on at once.
	 * <p>
	 * An ousted holder goes on as well: it learns of the loss by a message if it listens
	 * for messages, else by its next renewal, or when it extends or releases the lock,
	 * and may overlap with the next holder until then. Only the fencing token keeps it
	 * from doing harm: every later hold has a greater one.
	 * <p>
	 * May be repeated: only who has the lock when it is called is ousted.
	 * @param name the lock's name
	 * @return who was ousted; empty if nobody had the lock
	 * @throws LockBackendException if the backend failed or did not confirm in time; the
	 * lock may or may not have been taken away then, and the detail tells from whom it is
	 * known to have been
	 */
	List<Holder> forceRelease(String name);

	/**
	 * A lock that is held.
	 *
	 * @param name the lock's name
	 * @param metricName the group it counts under
	 * @param type its type
	 * @param owner who holds it
	 * @param holdCount the hold count
	 * @param since when it was acquired
	 * @param fencingToken the hold's token
	 * @param remainingLease how long the lease still lasts
	 * @param renewal what the watchdog does for it
	 * @param permits how many may hold it at a time, as this owner has asked
	 * @param heldFor for how long it has been held, by the clock that is ahead
	 */
	record Held(String name, String metricName, LockType type, LockOwner owner, int holdCount, Instant since,
			long fencingToken, Duration remainingLease, RenewalState renewal, int permits, Duration heldFor) {
	}

	/**
	 * A request that waits.
	 *
	 * @param name the lock's name
	 * @param metricName the group it counts under
	 * @param type the lock's type
	 * @param owner who wants it
	 * @param since since when, the same whenever one looks
	 * @param position the place in this JVM's queue for the lock, from 1
	 * @param permits how many may hold it at a time, as this owner asks
	 * @param waited for how long it has waited
	 */
	record Waiting(String name, String metricName, LockType type, LockOwner owner, Instant since, int position,
			int permits, Duration waited) {
	}

	/**
	 * A lock as the backend has it.
	 *
	 * @param name the lock's name
	 * @param holders who holds it: nobody, one, or several readers or owners of permits
	 * @param waiting how many requests wait for it, as each JVM has told when it asked
	 * last, at most a second or so ago; of those that wait in the JVM that has the lock
	 * alone, only that JVM itself knows
	 * @param waitingInstances how many JVMs they are of
	 * @param waitingSince since when the first of these has its place, by the backend's
	 * clock, or {@code null} if nobody waits
	 */
	record LockSnapshot(String name, List<HolderSnapshot> holders, int waiting, int waitingInstances,
			@Nullable Instant waitingSince) {
	}

	/**
	 * Who holds a lock.
	 *
	 * @param holder instance, times, and the owner that began to hold it; after a
	 * hand-over another one of the same instance may hold it
	 * @param fencingToken the lowest token that it may have, or 0 if the backend has
	 * forgotten it
	 * @param permits how many may hold the lock at a time, as this holder has asked; 1 if
	 * it excludes all others, or reads
	 * @param since when it was acquired, by the backend's clock
	 */
	record HolderSnapshot(Holder holder, long fencingToken, int permits, Instant since) {
	}

	/**
	 * Some of the locks that the backend has.
	 *
	 * @param locks the locks, by name
	 * @param next where the next page begins; empty if there is none
	 * @param note why only locks that this JVM knows are shown, or {@code null} if all
	 * are
	 */
	record LockPage(List<LockSnapshot> locks, String next, @Nullable String note) {
	}

	/**
	 * What the watchdog does for a lock.
	 */
	enum RenewalState {

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
