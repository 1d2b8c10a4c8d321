package io.lockstarter.core;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * Two sides of a lock as a {@link ReadWriteLock}: several owners read at a time, or one
 * writes. Thread-safe.
 * <p>
 * A writer may also acquire the read lock, and keep it after unlocking the write lock
 * (downgrade). A reader that requests the write lock gets a {@link LockUpgradeException}
 * at once, because two such readers would wait for each other forever.
 * <p>
 * Readers and writers of a name also exclude its owners of other types; see
 * {@link LockType}.
 */
public interface NamedReadWriteLock extends ReadWriteLock {

	/**
	 * Returns the lock's name.
	 * @return the name of both sides
	 */
	String name();

	/**
	 * Returns the side of the readers.
	 * @return the lock with the type {@link LockType#READ}
	 */
	@Override
	NamedLock readLock();

	/**
	 * Returns the side of the writers.
	 * @return the lock with the type {@link LockType#WRITE}
	 */
	@Override
	NamedLock writeLock();

}
