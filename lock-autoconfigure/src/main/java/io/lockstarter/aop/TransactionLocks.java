package io.lockstarter.aop;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

import io.lockstarter.core.LockHandle;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Locks that a transaction holds until it has completed, for further calls within the
 * transaction.
 * <p>
 * A thread finds its transaction among its synchronizations. No other link exists,
 * because the thread may not be notified of the end: with JTA, another thread may
 * complete the transaction. A transaction is bound to a thread only while its
 * synchronizations are not visible there, because it is suspended or its end is being
 * reported.
 */
final class TransactionLocks implements TransactionSynchronization {

	private final Map<LockKey, Set<LockHandle>> handles = new ConcurrentHashMap<>();

	private TransactionLocks() {
	}

	/**
	 * Holds a lock until the transaction of the calling thread has completed. Consecutive
	 * locks share one synchronization for their release, because Spring sorts all
	 * synchronizations whenever it reads them.
	 */
	static void keep(HeldLock lock) {
		List<TransactionSynchronization> all = TransactionSynchronizationManager.getSynchronizations();
		TransactionLocks transaction = among(all);
		if (transaction == null) {
			transaction = new TransactionLocks();
			TransactionSynchronizationManager.registerSynchronization(transaction);
		}
		transaction.add(lock.handle());
		TransactionSynchronization last = all.isEmpty() ? null : all.get(all.size() - 1);
		if (last instanceof ReleaseOnCompletion release) {
			release.add(lock);
		}
		else {
			ReleaseOnCompletion release = new ReleaseOnCompletion(transaction);
			release.add(lock);
			TransactionSynchronizationManager.registerSynchronization(release);
		}
	}

	private void add(LockHandle lock) {
		for (LockHandle part : lock.parts()) {
			this.handles.computeIfAbsent(LockKey.of(part), (key) -> ConcurrentHashMap.newKeySet()).add(part);
		}
	}

	/**
	 * Finds a lock that a transaction of the calling thread holds, or one that the thread
	 * has suspended.
	 */
	static @Nullable LockHandle find(String name, @Nullable String registry) {
		for (TransactionLocks suspended : bound()) {
			LockHandle lock = suspended.held(name, registry);
			if (lock != null) {
				return lock;
			}
		}
		TransactionLocks current = current();
		return (current != null) ? current.held(name, registry) : null;
	}

	/**
	 * Returns the names of all locks that a transaction of the calling thread holds, or
	 * one that the thread has suspended.
	 */
	static Set<String> names() {
		Set<String> names = new HashSet<>();
		TransactionLocks current = current();
		Stream.concat(bound().stream(), Stream.ofNullable(current))
			.forEach((locks) -> locks.handles.keySet().forEach((key) -> names.add(key.name())));
		return names;
	}

	private @Nullable LockHandle held(String name, @Nullable String registry) {
		for (LockHandle lock : this.handles.getOrDefault(new LockKey(name, registry), Set.of())) {
			if (lock.isValid()) {
				return lock;
			}
		}
		return null;
	}

	/** Returns whether the calling thread is in the transaction, or has suspended it. */
	boolean isOfThread() {
		return current() == this || bound().contains(this);
	}

	private static @Nullable TransactionLocks current() {
		return TransactionSynchronizationManager.isSynchronizationActive()
				? among(TransactionSynchronizationManager.getSynchronizations()) : null;
	}

	private static @Nullable TransactionLocks among(List<TransactionSynchronization> all) {
		for (TransactionSynchronization one : all) {
			if (one instanceof TransactionLocks locks) {
				return locks;
			}
		}
		return null;
	}

	/**
	 * Returns the transactions of the thread whose synchronizations are not visible, the
	 * outermost first.
	 */
	@SuppressWarnings("unchecked")
	private static List<TransactionLocks> bound() {
		Object bound = TransactionSynchronizationManager.getResource(TransactionLocks.class);
		return (bound != null) ? (List<TransactionLocks>) bound : List.of();
	}

	private void bind() {
		if (bound().isEmpty()) {
			TransactionSynchronizationManager.bindResource(TransactionLocks.class, new ArrayList<>());
		}
		bound().add(this);
	}

	private void unbind() {
		List<TransactionLocks> bound = bound();
		if (bound.contains(this) && bound.remove(this) && bound.isEmpty()) {
			TransactionSynchronizationManager.unbindResource(TransactionLocks.class);
		}
	}

	/** Removes a lock that is about to be released by the thread that reports the end. */
	void remove(LockHandle lock) {
		for (LockHandle part : lock.parts()) {
			this.handles.computeIfPresent(LockKey.of(part),
					(key, handles) -> (handles.remove(part) && handles.isEmpty()) ? null : handles);
		}
		if (this.handles.isEmpty()) {
			unbind();
		}
	}

	@Override
	public void suspend() {
		bind();
	}

	@Override
	public void resume() {
		unbind();
	}

	/**
	 * Binds the transaction to the thread. This synchronization is notified first,
	 * because the others may acquire the locks again.
	 */
	@Override
	public void afterCompletion(int status) {
		if (!this.handles.isEmpty()) {
			bind();
		}
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	/**
	 * Name of a lock within its registry.
	 *
	 * @param name the lock's name
	 * @param registry the registry's name, or {@code null} if there is only one
	 */
	private record LockKey(String name, @Nullable String registry) {

		static LockKey of(LockHandle lock) {
			return new LockKey(lock.name(), lock.registry());
		}

	}

	/**
	 * Release of locks after a transaction, which another thread may complete.
	 */
	private static final class ReleaseOnCompletion implements TransactionSynchronization {

		private final TransactionLocks transaction;

		private final Queue<HeldLock> locks = new ConcurrentLinkedQueue<>();

		ReleaseOnCompletion(TransactionLocks transaction) {
			this.transaction = transaction;
		}

		void add(HeldLock lock) {
			this.locks.add(lock);
		}

		/** Prevents a commit without the lock. */
		@Override
		public void beforeCommit(boolean readOnly) {
			this.locks.forEach(HeldLock::requireValid);
		}

		/**
		 * Detaches the locks, because this may be the last notification on this thread.
		 */
		@Override
		public void beforeCompletion() {
			this.locks.forEach(this::detach);
		}

		@Override
		public void afterCompletion(int status) {
			RuntimeException failure = null;
			for (HeldLock lock : this.locks) {
				detach(lock);
				this.transaction.remove(lock.handle());
				try {
					lock.close();
				}
				catch (RuntimeException ex) {
					if (failure == null) {
						failure = ex;
					}
					else {
						failure.addSuppressed(ex);
					}
				}
			}
			if (failure != null) {
				throw failure;
			}
		}

		private void detach(HeldLock lock) {
			lock.handle().detachFromThread(this.transaction::isOfThread);
		}

	}

}
