package io.lockstarter.aop;

import java.util.Set;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * When the lock of a call is released with regard to a transaction of its caller.
 */
@FunctionalInterface
interface CallerTransaction {

	/** Takes no notice of transactions. */
	CallerTransaction IGNORED = (lock) -> lock::close;

	/**
	 * Return how to release a lock when the method is done. To be asked before it runs: a
	 * transaction that begins later ends with the method.
	 */
	Release releaseOf(HeldLock lock);

	/**
	 * Return the locks under which a call is made, with those that are needed again and
	 * kept for a transaction, or for one that is suspended: it would wait for itself.
	 */
	default LockContext locks(LockContext caller, LockCall call) {
		return caller;
	}

	/**
	 * Return a failure with what the transaction may have to do with it: it may keep
	 * locks for which the holder waits.
	 */
	default LockAcquisitionTimeoutException explain(LockAcquisitionTimeoutException failure) {
		return failure;
	}

	/**
	 * Add those of the locks of a call to others that are kept and not among them.
	 */
	static LockContext withKept(LockContext held, LockCall call, KeptLocks kept) {
		LockContext locks = held;
		String registry = call.attribute().terms().registry();
		for (String name : call.names()) {
			LockHandle handle = kept.find(name, registry);
			if (handle != null && handle.isValid() && locks.holding(name, registry).isEmpty()) {
				locks = locks.with(handle);
			}
		}
		return locks;
	}

	/**
	 * The locks that a transaction keeps.
	 */
	@FunctionalInterface
	interface KeptLocks {

		/** Find one by its name in a registry, which has a name if there are several. */
		@Nullable LockHandle find(String name, @Nullable String registry);

	}

	/**
	 * The end of a method under a lock.
	 */
	@FunctionalInterface
	interface Release extends AutoCloseable {

		@Override
		void close();

	}

	/**
	 * Keeps the lock until the caller's transaction is completed, so that the next holder
	 * sees what it has committed. Loaded only where Spring's transactions are.
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
			return withKept(caller, call, TransactionLocks::find);
		}

		@Override
		public LockAcquisitionTimeoutException explain(LockAcquisitionTimeoutException failure) {
			Set<String> kept = TransactionLocks.names();
			kept.remove(failure.lockName());
			return kept.isEmpty() ? failure : new LockAcquisitionTimeoutException(failure, kept);
		}

	}

}
