package io.lockstarter.fence;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;

import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockFence;
import io.lockstarter.core.LockHandle;
import io.lockstarter.fence.Fence.RowToken;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Verifier of the transactions that are committed under fenced locks. Each transaction is
 * verified on its own connection as the last step before its commit, after all
 * {@link TransactionSynchronization synchronizations}. Read-only transactions are not
 * verified.
 */
final class CommitVerifier implements TransactionExecutionListener {

	/** Innermost commit of the calling thread. */
	private static final ThreadLocal<@Nullable Commit> COMMITTING = new ThreadLocal<>();

	private final Fence fence;

	private final FencedDatabase database;

	private final FenceReports reports;

	/** Fenced work by the handle of its lock. */
	private final Map<LockHandle, Work> running = new ConcurrentHashMap<>();

	/** Isolation level of transactions that declare none; {@code null} until known. */
	private volatile @Nullable Integer defaultIsolation;

	CommitVerifier(Fence fence, FencedDatabase database, FenceReports reports) {
		this.fence = fence;
		this.database = database;
		this.reports = reports;
	}

	/**
	 * Begins to verify transactions that are committed under a lock.
	 * @param unprotected is called when the work succeeds without a transaction
	 */
	Work begin(LockHandle lock, Runnable unprotected) {
		Work work = new Work(() -> this.running.remove(lock), unprotected);
		this.running.put(lock, work);
		return work;
	}

	/** Verifies the transaction in which the calling thread already runs as well. */
	void verifyCaller(LockHandle lock) {
		TransactionSynchronizationManager.registerSynchronization(new CallerLock(lock));
	}

	/**
	 * Returns whether fenced work is already running under the same hold, which has
	 * registered its token.
	 */
	boolean isInForce(LockHandle lock) {
		return Fence.tokens(inForce()).keySet().containsAll(Fence.tokens(List.of(lock)).keySet());
	}

	private List<LockHandle> inForce() {
		return LockContext.capture().handles().stream().filter(this.running::containsKey).toList();
	}

	private List<LockHandle> toVerify() {
		List<LockHandle> locks = new ArrayList<>(inForce());
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			for (TransactionSynchronization one : TransactionSynchronizationManager.getSynchronizations()) {
				if (one instanceof CallerLock caller) {
					locks.add(caller.lock());
				}
			}
		}
		return locks;
	}

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
		for (LockHandle lock : inForce()) {
			Work work = this.running.get(lock);
			if (work != null) {
				work.transactional();
			}
		}
	}

	/**
	 * Verifies the transaction. Does not throw a {@code TransactionException}, after
	 * which Spring would not roll back.
	 */
	@Override
	public void beforeCommit(TransactionExecution transaction) {
		SortedMap<RowToken, LockHandle> tokens = Fence.tokens(toVerify());
		Commit outer = underway();
		// A transaction that commits during the commit of an outer one, as by JPA's
		// callbacks, need not verify the tokens again, because the outer one has locked
		// their rows.
		for (Commit enclosing = outer; enclosing != null; enclosing = enclosing.outer()) {
			if (enclosing.verifier() == this) {
				tokens.keySet().removeAll(enclosing.tokens().keySet());
			}
		}
		if (!tokens.isEmpty() && !transaction.isReadOnly()) {
			verify(tokens);
			COMMITTING.set(new Commit(this, transaction, tokens, outer));
		}
	}

	/**
	 * Returns the innermost commit that is in progress. A commit that another listener
	 * has aborted is not reported as ended, so completed ones are skipped.
	 */
	private static @Nullable Commit underway() {
		Commit innermost = COMMITTING.get();
		while (innermost != null && innermost.transaction().isCompleted()) {
			innermost = innermost.outer();
		}
		return innermost;
	}

	private void verify(SortedMap<RowToken, LockHandle> tokens) {
		String task = "Verify the tokens of " + tokens.values();
		try {
			Connection connection = this.database.transactional();
			if (connection == null) {
				throw new IllegalStateException(task + ": the transaction has no JDBC connection to its DataSource");
			}
			if (isolation(connection) == Connection.TRANSACTION_READ_UNCOMMITTED) {
				throw new IllegalStateException(task
						+ ": the isolation of the transaction is READ_UNCOMMITTED, so that it may have read what an earlier holder wrote and did not commit. Use READ_COMMITTED or more");
			}
			this.reports.refusals(() -> this.fence.verify(connection, tokens));
		}
		catch (SQLException ex) {
			throw FencedDatabase.translate(task, this.fence.table(), ex);
		}
	}

	/**
	 * Returns the isolation level of the current transaction. A connection is queried
	 * once for the default level, which takes a statement in most databases.
	 */
	private int isolation(Connection connection) throws SQLException {
		Integer declared = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
		if (declared != null) {
			return declared;
		}
		Integer known = this.defaultIsolation;
		if (known == null) {
			known = connection.getTransactionIsolation();
			this.defaultIsolation = known;
		}
		return known;
	}

	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
		Commit ended = end(transaction);
		if (ended != null && failure == null) {
			ended.tokens().values().forEach(this.reports::committed);
		}
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
		end(transaction);
	}

	private @Nullable Commit end(TransactionExecution transaction) {
		Commit innermost = COMMITTING.get();
		if (innermost == null || innermost.transaction() != transaction) {
			return null;
		}
		if (innermost.outer() != null) {
			COMMITTING.set(innermost.outer());
		}
		else {
			COMMITTING.remove();
		}
		return innermost;
	}

	/**
	 * Work under a fenced lock.
	 */
	static final class Work implements LockFence.Guard {

		private final Runnable end;

		private final Runnable unprotected;

		private volatile boolean transactional;

		private Work(Runnable end, Runnable unprotected) {
			this.end = end;
			this.unprotected = unprotected;
		}

		/**
		 * Records that a transaction has begun that will be verified, or was active
		 * before the work.
		 */
		void transactional() {
			this.transactional = true;
		}

		@Override
		public void succeeded() {
			if (!this.transactional) {
				this.unprotected.run();
			}
		}

		@Override
		public void close() {
			this.end.run();
		}

	}

	/**
	 * Verified transaction, which locks the rows until it ends.
	 *
	 * @param verifier the verifier of the transaction
	 * @param transaction the transaction
	 * @param tokens the verified tokens
	 * @param outer the commit during which this one began, or {@code null}
	 */
	private record Commit(CommitVerifier verifier, TransactionExecution transaction,
			SortedMap<RowToken, LockHandle> tokens, @Nullable Commit outer) {
	}

	/**
	 * Lock that was acquired within a transaction of its caller, registered as a
	 * synchronization until that transaction ends.
	 *
	 * @param lock the hold
	 */
	private record CallerLock(LockHandle lock) implements TransactionSynchronization {
	}

}
