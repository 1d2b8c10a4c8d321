package io.lockstarter.core;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A distributed lock as a {@link Lock}: reentrant and owned by the calling thread unless
 * it was asked for with an explicit {@link LockOwner}. Thread-safe.
 * <p>
 * Beside what {@link Lock} says, every method that takes the lock may throw
 * {@link LockBackendException} when the backend fails and
 * {@link LockRegistryClosedException} on shutdown. The queries about the owner look at
 * what this JVM knows and cost no round trip; {@link #isLocked()} and
 * {@link #remainingLeaseOfHolder()}, which are about everybody, ask the backend.
 */
public interface NamedLock extends Lock {

	/**
	 * Return the lock's name.
	 * @return the name
	 */
	String name();

	/**
	 * Take the lock, waiting for as long as it takes. An interrupt does not end the wait;
	 * the thread's flag is set again on return.
	 */
	@Override
	void lock();

	/**
	 * Take the lock if it is free now.
	 * @return whether it was taken
	 */
	@Override
	boolean tryLock();

	/**
	 * Take the lock if it becomes free in time. One deadline covers waiting for threads
	 * of this JVM and for other JVMs.
	 * @param time the longest wait; zero or less tries once
	 * @param unit the unit of the wait
	 * @return whether it was taken
	 * @throws InterruptedException if the thread is interrupted; the lock is not taken
	 * then
	 */
	@Override
	boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

	/**
	 * Undo the owner's latest locking; the outermost one releases the lock.
	 * @throws LockNotHeldException if this owner does not hold the lock; this is an
	 * {@link IllegalMonitorStateException}
	 * @throws LockLostException if this owner held the lock but lost it
	 */
	@Override
	void unlock();

	/**
	 * Not supported: waiting on a condition would have to give up the lease and survive
	 * the failure of the signalling process.
	 * @return never
	 * @throws UnsupportedOperationException always
	 */
	@Override
	Condition newCondition();

	/**
	 * Return how often the owner has to unlock until the lock is free.
	 * @return the hold count, zero if it does not hold the lock
	 */
	int holdCount();

	/**
	 * Return whether the owner holds the lock and its lease has not run out.
	 * @return whether it is held by the owner
	 */
	boolean isHeldByCurrentOwner();

	/**
	 * Return for how long the owner's lease is still known to last.
	 * @return the remaining lease, zero if the lock is not held
	 */
	Duration remainingLease();

	/**
	 * Ask the backend whether anybody holds the lock, in whichever instance and with
	 * whichever type. One round trip, which is given up after two seconds.
	 * <p>
	 * The answer is a snapshot for people and logs, and may be out of date when it
	 * arrives. Do not decide by it whether to do what the lock protects: use
	 * {@link #tryLock()} for that.
	 * @return whether somebody held the lock when the backend was asked
	 * @throws LockBackendException if the backend failed or did not answer in time
	 */
	boolean isLocked();

	/**
	 * Ask the backend for how long the lease of whoever holds the lock still lasts, in
	 * whichever instance and with whichever type; of several readers, the longest lease.
	 * One round trip, which is given up after two seconds.
	 * <p>
	 * The answer is a snapshot as that of {@link #isLocked()}: the holder may release the
	 * lock earlier, or hold it for longer because its lease is renewed.
	 * @return the remaining lease, empty if nobody held the lock when the backend was
	 * asked
	 * @throws LockBackendException if the backend failed or did not answer in time
	 */
	Optional<Duration> remainingLeaseOfHolder();

	/**
	 * Return how the owner lost the lock, for as long as it has not unlocked what it had
	 * locked before the loss.
	 * @return the loss, empty while the owner holds the lock or if it never did
	 */
	Optional<LockLoss> loss();

	/**
	 * Extend the owner's lease so that it ends no earlier than the given time from now.
	 * One round trip. A lease is never shortened.
	 * @param lease the wanted lease, counted from now
	 * @throws LockNotHeldException if the owner does not hold the lock
	 * @throws LockLostException if the owner held the lock but lost it
	 * @see LockHandle#extend(Duration)
	 */
	void extend(Duration lease);

	/**
	 * Return the fencing token of the owner's hold.
	 * @return the token
	 * @throws LockNotHeldException if the owner does not hold the lock
	 * @see LockHandle#fencingToken()
	 */
	long fencingToken();

}
