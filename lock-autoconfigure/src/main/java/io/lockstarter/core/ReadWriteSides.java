package io.lockstarter.core;

/**
 * Sides of a read-write lock of a registry.
 *
 * @param readLock the side of the readers
 * @param writeLock the side of the writers
 */
record ReadWriteSides(NamedLock readLock, NamedLock writeLock) implements NamedReadWriteLock {

	static NamedReadWriteLock of(LockRegistry registry, LockRequest request) {
		return new ReadWriteSides(registry.get(request.type(LockType.READ)),
				registry.get(request.type(LockType.WRITE)));
	}

	@Override
	public String name() {
		return this.writeLock.name();
	}

	@Override
	public String toString() {
		return "NamedReadWriteLock '" + name() + "'";
	}

}
