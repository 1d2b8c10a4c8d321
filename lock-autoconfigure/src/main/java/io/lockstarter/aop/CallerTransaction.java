package io.lockstarter.aop;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import org.jspecify.annotations.Nullable;

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
	 * Return the locks under which a call is made, with those that are needed again and
	 * kept for a transaction, or for one that is suspended: it would wait for itself.
	 */
	default LockContext locks(LockContext caller, Collection<String> names) {
		return caller;
	}

	/**
	 * Add those of some locks to others that are kept and not among them.
	 * @param kept finds a lock by its name
	 */
	static LockContext withKept(LockContext held, Collection<String> names,
			Function<String, ? extends @Nullable LockHandle> kept) {
		LockContext locks = held;
		for (String name : names) {
			LockHandle handle = kept.apply(name);
			if (handle != null && handle.isValid() && locks.holding(name).isEmpty()) {
				locks = locks.with(handle);
			}
		}
		return locks;
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
				Kept kept = Kept.ofThread();
				kept.add(lock.handle());
				TransactionSynchronizationManager.registerSynchronization(new ReleaseOnCompletion(lock, kept));
			}
			else {
				lock.close();
			}
		}

		@Override
		public LockContext locks(LockContext caller, Collection<String> names) {
			return withKept(caller, names, Kept.ofThread().handles::get);
		}

	}

	/**
	 * What the transactions of a thread keep.
	 *
	 * @param handles the locks by name
	 */
	record Kept(Map<String, LockHandle> handles) {

		/** What nothing is kept in is not bound to the thread. */
		static Kept ofThread() {
			return (TransactionSynchronizationManager.getResource(Kept.class) instanceof Kept kept) ? kept
					: new Kept(new ConcurrentHashMap<>());
		}

		void add(LockHandle lock) {
			for (LockHandle part : lock.parts()) {
				// The first is kept for the outermost transaction.
				this.handles.merge(part.name(), part, (first, later) -> first.isValid() ? first : later);
			}
			if (!this.handles.isEmpty() && !TransactionSynchronizationManager.hasResource(Kept.class)) {
				TransactionSynchronizationManager.bindResource(Kept.class, this);
			}
		}

		/** The transaction may be completed on another thread. */
		void remove(LockHandle lock) {
			lock.parts().forEach((part) -> this.handles.remove(part.name(), part));
			if (this.handles.isEmpty() && TransactionSynchronizationManager.getResource(Kept.class) == this) {
				TransactionSynchronizationManager.unbindResource(Kept.class);
			}
		}

	}

	/**
	 * Releases a lock after a transaction.
	 *
	 * @param lock the lock
	 * @param kept what the transactions of the thread keep
	 */
	record ReleaseOnCompletion(HeldLock lock, Kept kept) implements TransactionSynchronization {

		/** A commit that is no longer under the lock must not be. */
		@Override
		public void beforeCommit(boolean readOnly) {
			this.lock.requireValid();
		}

		@Override
		public void afterCompletion(int status) {
			this.kept.remove(this.lock.handle());
			this.lock.close();
		}

	}

}
