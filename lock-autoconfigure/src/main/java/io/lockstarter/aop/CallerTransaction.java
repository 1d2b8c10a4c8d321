package io.lockstarter.aop;

import org.springframework.transaction.support.TransactionSynchronization;
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
				TransactionSynchronizationManager.registerSynchronization(new ReleaseOnCompletion(lock));
			}
			else {
				lock.close();
			}
		}

	}

	/**
	 * Releases a lock after a transaction.
	 *
	 * @param lock the lock
	 */
	record ReleaseOnCompletion(HeldLock lock) implements TransactionSynchronization {

		/** A commit that is no longer under the lock must not be. */
		@Override
		public void beforeCommit(boolean readOnly) {
			this.lock.requireValid();
		}

		@Override
		public void afterCompletion(int status) {
			this.lock.close();
		}

	}

}
