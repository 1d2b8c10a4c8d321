package io.lockstarter.aop;

import java.util.Set;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Strategy for releasing the lock of a call that runs in a transaction of its caller.
 */
@FunctionalInterface
interface CallerTransaction {

	/** Strategy that ignores transactions. */
	CallerTransaction IGNORED = (lock) -> lock::close;

	/**
	 * Returns how to release a lock after the method. Must be called before the method
	 * runs, because a transaction that begins later ends with the method.
	 */
	Release releaseOf(HeldLock lock);

	/**
	 * Returns the locks under which a call is made, including those that it needs again
	 * and that a transaction, or a suspended one, still holds. Otherwise the call would
	 * wait for itself.
	 */
	default LockContext locks(LockContext caller, LockCall call) {
		return caller;
	}

	/**
	 * Returns a failure with details of the transaction, which may hold locks that the
	 * holder waits for.
	 */
	default LockAcquisitionTimeoutException explain(LockAcquisitionTimeoutException failure) {
		return failure;
	}

	/**
	 * Adds the locks that a transaction holds and a call needs, unless they are already
	 * among the given ones.
	 */
	static LockContext withHeld(LockContext held, LockCall call, LockFinder finder) {
		LockContext locks = held;
		String registry = call.attribute().options().registry();
		for (String name : call.names()) {
			LockHandle handle = finder.find(name, registry);
			if (handle != null && handle.isValid() && locks.holding(name, registry).isEmpty()) {
				locks = locks.with(handle);
			}
		}
		return locks;
	}

	/**
	 * Locks that a transaction holds.
	 */
	@FunctionalInterface
	interface LockFinder {

		/**
		 * Finds a lock by its name in a registry, or in the only registry if its name is
		 * {@code null}.
		 */
		@Nullable LockHandle find(String name, @Nullable String registry);

	}

	/**
	 * Release of a lock after a method.
	 */
	@FunctionalInterface
	interface Release extends AutoCloseable {

		@Override
		void close();

	}

	/**
	 * Strategy that holds the lock until the caller's transaction has completed, so that
	 * the next holder sees the committed data. Loaded only if Spring's transactions are
	 * present.
	 */
	final class Awaited implements CallerTransaction {

		@Override
		public Release releaseOf(HeldLock lock) {
			if (!TransactionSynchronizationManager.isActualTransactionActive()
					|| !TransactionSynchronizationManager.isSynchronizationActive()) {
				return lock::close;
			}
			return () -> releaseOnCompletion(lock);
		}

		private static void releaseOnCompletion(HeldLock lock) {
			if (TransactionSynchronizationManager.isSynchronizationActive()) {
				TransactionLocks.keep(lock);
			}
			else {
				lock.close();
			}
		}

		@Override
		public LockContext locks(LockContext caller, LockCall call) {
			return withHeld(caller, call, TransactionLocks::find);
		}

		@Override
		public LockAcquisitionTimeoutException explain(LockAcquisitionTimeoutException failure) {
			Set<String> held = TransactionLocks.names();
			held.remove(failure.lockName());
			return held.isEmpty() ? failure : new LockAcquisitionTimeoutException(failure, held);
		}

	}

}
