package io.lockstarter.core;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * Distributed lock as a {@link Lock}: reentrant, and owned by the calling thread unless
 * it was requested with an explicit {@link LockOwner}. Thread-safe.
 * <p>
 * In addition to the contract of {@link Lock}, every method that acquires the lock may
 * throw {@link LockBackendException} if the backend fails and
 * {@link LockRegistryClosedException} on shutdown. Queries about the owner use local
 * information and cost no round trip. {@link #isLocked()} and
 * {@link #remainingLeaseOfHolder()} concern all instances and query the backend.
 */
public interface NamedLock extends Lock {

	/**
	 * Returns the lock's name.
	 * @return the name
	 */
	String name();

	/**
	 * Acquires the lock, and waits without a limit. An interrupt does not end the wait;
	 * the thread's interrupt flag is set again on return.
	 */
	@Override
	void lock();

	/**
	 * Acquires the lock if it is free now.
	 * @return whether the lock was acquired
	 */
	@Override
	boolean tryLock();

	/**
	 * Acquires the lock if it becomes free in time. One deadline covers waiting for
	 * threads of this JVM and for other JVMs.
	 * @param time the maximum wait; zero or less tries once
	 * @param unit the unit of the wait
	 * @return whether the lock was acquired
	 * @throws InterruptedException if the thread is interrupted; the lock is then not
	 * acquired
	 */
	@Override
	boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

	/**
	 * Reverts the owner's latest acquisition; the outermost one releases the lock.
	 * @throws LockNotHeldException if this owner does not hold the lock; this is an
	 * {@link IllegalMonitorStateException}
	 * @throws LockLostException if this owner held the lock but lost it
	 */
	@Override
	void unlock();

	/**
	 * Throws an exception, because conditions are not supported: waiting on a condition
	 * would have to give up the lease, and to survive the failure of the signalling
	 * process.
	 * @return never
	 * @throws UnsupportedOperationException always
	 */
	@Override
	Condition newCondition();

	/**
	 * Returns how often the owner has to unlock until the lock is free.
	 * @return the hold count, zero if the owner does not hold the lock
	 */
	int holdCount();

	/**
	 * Returns whether the owner holds the lock and its lease has not expired.
	 * @return whether the owner holds the lock
	 */
	boolean isHeldByCurrentOwner();

	/**
	 * Returns the time for which the owner's lease is still known to last.
	 * @return the remaining lease, zero if the lock is not held
	 */
	Duration remainingLease();

	/**
	 * Queries the backend for whether any owner holds the lock, in any instance and with
	 * any type. Costs one round trip, which times out after two seconds.
	 * <p>
	 * The result is a snapshot for people and logs, and may be out of date when it
	 * arrives. Do not use it to decide whether to run the protected work: use
	 * {@link #tryLock()} instead.
	 * @return whether the lock was held at the time of the query
	 * @throws LockBackendException if the backend failed or did not reply in time
	 */
	boolean isLocked();

	/**
	 * Queries the backend for the remaining lease of the holder, in any instance and with
	 * any type; of several readers, the longest lease. Costs one round trip, which times
	 * out after two seconds.
	 * <p>
	 * The result is a snapshot like that of {@link #isLocked()}: the holder may release
	 * the lock earlier, or hold it for longer because its lease is renewed.
	 * @return the remaining lease, empty if the lock was free at the time of the query
	 * @throws LockBackendException if the backend failed or did not reply in time
	 */
	Optional<Duration> remainingLeaseOfHolder();

	/**
	 * Returns the loss of the owner's lock, until the owner has unlocked every
	 * acquisition from before the loss.
	 * @return the loss, empty while the owner holds the lock or if it never held it
	 */
	Optional<LockLoss> loss();

	/**
	 * Extends the owner's lease so that it ends no earlier than the given time from now.
	 * Costs one round trip. The lease is never shortened.
	 * @param lease the required lease, counted from now
	 * @throws LockNotHeldException if the owner does not hold the lock
	 * @throws LockLostException if the owner held the lock but lost it
	 * @see LockHandle#extend(Duration)
	 */
	void extend(Duration lease);

	/**
	 * Returns the fencing token of the owner's hold.
	 * @return the token
	 * @throws LockNotHeldException if the owner does not hold the lock
	 * @see LockHandle#fencingToken()
	 */
	long fencingToken();

}
