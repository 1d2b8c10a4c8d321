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
 * The locks that a transaction keeps until it is completed, for the calls that it makes
 * meanwhile.
 * <p>
 * A thread that runs in a transaction has it among its synchronizations. Nothing else
 * ties the two together, since the thread may not hear of the end: with JTA another one
 * may complete the transaction. Only while its synchronizations are out of sight on a
 * thread that will have them back or is telling them the end, it is bound to that thread.
 */
final class TransactionLocks implements TransactionSynchronization {

	private final Map<LockKey, Set<LockHandle>> handles = new ConcurrentHashMap<>();

	private TransactionLocks() {
	}

	/**
	 * Keeps a lock until the transaction of the calling thread is completed. Locks that
	 * follow one another are released by one synchronization, because Spring sorts all of
	 * them whenever it is asked for them.
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
	 * Find a lock that is kept for a transaction of the calling thread, or for one that
	 * it has suspended.
	 */
	static @Nullable LockHandle find(String name, @Nullable String registry) {
		for (TransactionLocks suspended : bound()) {
			LockHandle lock = suspended.kept(name, registry);
			if (lock != null) {
				return lock;
			}
		}
		TransactionLocks current = current();
		return (current != null) ? current.kept(name, registry) : null;
	}

	/**
	 * Return the names of all locks that are kept for a transaction of the calling
	 * thread, or for one that it has suspended.
	 */
	static Set<String> names() {
		Set<String> names = new HashSet<>();
		TransactionLocks current = current();
		Stream.concat(bound().stream(), Stream.ofNullable(current))
			.forEach((locks) -> locks.handles.keySet().forEach((key) -> names.add(key.name())));
		return names;
	}

	private @Nullable LockHandle kept(String name, @Nullable String registry) {
		for (LockHandle lock : this.handles.getOrDefault(new LockKey(name, registry), Set.of())) {
			if (lock.isValid()) {
				return lock;
			}
		}
		return null;
	}

	/** Whether the calling thread is in the transaction, or has suspended it. */
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
	 * Those of the thread whose synchronizations are out of sight, the outermost first.
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

	/** A lock is about to be released by the thread that tells the end. */
	void remove(LockHandle lock) {
		for (LockHandle part : lock.parts()) {
			this.handles.computeIfPresent(LockKey.of(part),
					(key, kept) -> (kept.remove(part) && kept.isEmpty()) ? null : kept);
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

	/** The first to be told the end. The others may take locks again meanwhile. */
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

		/** A commit that is no longer under the lock must not be. */
		@Override
		public void beforeCommit(boolean readOnly) {
			this.locks.forEach(HeldLock::requireValid);
		}

		/** The last that the thread may hear of the transaction. */
		@Override
		public void beforeCompletion() {
			this.locks.forEach(this::outliveThread);
		}

		@Override
		public void afterCompletion(int status) {
			RuntimeException failure = null;
			for (HeldLock lock : this.locks) {
				outliveThread(lock);
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

		private void outliveThread(HeldLock lock) {
			lock.handle().outliveThread(this.transaction::isOfThread);
		}

	}

}
