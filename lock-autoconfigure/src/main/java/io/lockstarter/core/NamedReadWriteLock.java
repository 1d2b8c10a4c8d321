package io.lockstarter.core;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * The two sides of a lock as a {@link ReadWriteLock}: several owners read at a time, or
 * one writes. Thread-safe.
 * <p>
 * A writer may take the read lock as well, and keep it when it unlocks the write lock
 * (downgrade). A reader who asks for the write lock gets a {@link LockUpgradeException}
 * at once: two readers who waited for that would wait for each other for ever.
 * <p>
 * Readers and writers of a name also exclude its owners of other types; see
 * {@link LockType}.
 */
public interface NamedReadWriteLock extends ReadWriteLock {

	/**
	 * Return the lock's name.
	 * @return the name, which both sides have
	 */
	String name();

	/**
	 * Return the side of the readers.
	 * @return the lock with the type {@link LockType#READ}
	 */
	@Override
	NamedLock readLock();

	/**
	 * Return the side of the writers.
	 * @return the lock with the type {@link LockType#WRITE}
	 */
	@Override
	NamedLock writeLock();

}
