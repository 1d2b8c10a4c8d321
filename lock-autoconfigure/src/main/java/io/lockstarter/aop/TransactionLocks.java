package io.lockstarter.aop;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

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

	private final List<LockHandle> handles = new CopyOnWriteArrayList<>();

	private TransactionLocks() {
	}

	/**
	 * Keep a lock for the transaction of the calling thread.
	 * @return what the transaction keeps
	 */
	static TransactionLocks keep(LockHandle lock) {
		TransactionLocks transaction = current();
		if (transaction == null) {
			transaction = new TransactionLocks();
			TransactionSynchronizationManager.registerSynchronization(transaction);
		}
		transaction.handles.addAll(lock.parts());
		return transaction;
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

	private @Nullable LockHandle kept(String name, @Nullable String registry) {
		for (LockHandle lock : this.handles) {
			if (lock.name().equals(name) && Objects.equals(lock.registry(), registry) && lock.isValid()) {
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
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			for (TransactionSynchronization one : TransactionSynchronizationManager.getSynchronizations()) {
				if (one instanceof TransactionLocks locks) {
					return locks;
				}
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
		this.handles.removeAll(lock.parts());
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

}
