package io.lockstarter.fence;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lockstarter.core.LockFence;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockThreads;
import io.lockstarter.core.OneLine;
import io.lockstarter.logging.LockLog;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Fence of the transactions of one transaction manager. The database is prepared when the
 * fence is first needed.
 */
public final class TransactionFence implements LockFence, AutoCloseable {

	private static final LockLog logger = LockLog.of(TransactionFence.class);

	private final Fence fence;

	private final Function<String, FencedDatabase> databases;

	private final FenceReports reports;

	private final RowCleaner cleaner;

	private final ScheduledExecutorService executor = Executors
		.newSingleThreadScheduledExecutor(LockThreads.daemons("lock-fence"));

	/** Static names of locks for which a missing transaction has been logged. */
	private final Set<String> unprotected = ConcurrentHashMap.newKeySet();

	private volatile @Nullable Prepared prepared;

	/**
	 * Creates a fence.
	 * @param fence the fencing tokens
	 * @param databases prepares the database for a user, given by its description, or
	 * throws an exception if no suitable database exists
	 * @param retention the time after which untouched rows are deleted
	 * @param registry the registry of the lock under which rows are deleted
	 * @param listeners the listeners that are notified of commits and refusals
	 */
	public TransactionFence(Fence fence, Function<String, FencedDatabase> databases, Duration retention,
			Supplier<@Nullable LockRegistry> registry, List<LockListener> listeners) {
		this.fence = fence;
		this.databases = databases;
		this.reports = new FenceReports(listeners, this.executor);
		this.cleaner = new RowCleaner(fence, retention, registry);
	}

	@Override
	public void prepare(String user) {
		prepared(user);
	}

	private Prepared prepared(String user) {
		Prepared ready = this.prepared;
		return (ready != null) ? ready : prepareOnce(user);
	}

	private synchronized Prepared prepareOnce(String user) {
		Prepared ready = this.prepared;
		if (ready == null) {
			FencedDatabase database = this.databases.apply(user);
			ready = new Prepared(database, new CommitVerifier(this.fence, database, this.reports));
			CommitVerifier verifier = ready.verifier();
			change(database.transactionManager(), (listeners) -> listeners.add(verifier));
			this.cleaner.schedule(this.executor, database);
			this.prepared = ready;
		}
		return ready;
	}

	/**
	 * Replaces the listeners of a transaction manager by a changed copy, because other
	 * threads may iterate over them.
	 */
	private static void change(ConfigurableTransactionManager manager,
			Consumer<Collection<TransactionExecutionListener>> change) {
		Collection<TransactionExecutionListener> listeners = new ArrayList<>(
				manager.getTransactionExecutionListeners());
		change.accept(listeners);
		manager.setTransactionExecutionListeners(listeners);
	}

	@Override
	public Guard guard(LockHandle lock, String user) {
		Prepared ready = prepared(user);
		CommitVerifier verifier = ready.verifier();
		try {
			boolean again = verifier.isInForce(lock);
			Connection caller = again ? null : ready.database().transactional();
			if (caller != null) {
				requireNewSnapshots(caller, user);
			}
			if (!this.fence.isRegistered(lock)) {
				this.reports.refusals(
						() -> ready.database().autoCommitted((connection) -> this.fence.register(connection, lock)));
			}
			CommitVerifier.Work work = verifier.begin(lock, () -> warn(lock, user));
			if (caller != null) {
				verifier.verifyCaller(lock);
			}
			if (again || caller != null) {
				work.transactional();
			}
			return work;
		}
		catch (SQLException ex) {
			throw FencedDatabase.translate("Register the token of " + lock, this.fence.table(), ex);
		}
	}

	/**
	 * Rejects a caller's transaction with an old snapshot. With {@code READ_COMMITTED},
	 * each statement sees all data that was committed before it. With a stricter
	 * isolation, a transaction that began before the registration may still see the data
	 * from before the commits of intermediate holders: its writes would revert those
	 * commits, although its token is the latest.
	 */
	private static void requireNewSnapshots(Connection caller, String user) throws SQLException {
		if (caller.getTransactionIsolation() > Connection.TRANSACTION_READ_COMMITTED) {
			throw new IllegalTransactionStateException(
					"%s is fenced, but was called in a transaction whose isolation is above READ_COMMITTED and whose snapshot may be older than the lock: begin the transaction inside, suspend that of the caller by NOT_SUPPORTED, or use READ_COMMITTED"
						.formatted(user));
		}
	}

	private void warn(LockHandle lock, String user) {
		if (this.unprotected.add(lock.metricName())) {
			logger.warn(
					"%s is fenced, but no transaction began while it ran under lock '%s', so the database could not verify anything. Write in a transaction that begins inside, or omit fenced"
						.formatted(user, OneLine.of(lock.name())));
		}
	}

	/**
	 * Deletes rows that have not been touched for the retention time, unless another
	 * instance is doing so.
	 */
	void clean() throws SQLException, InterruptedException {
		this.cleaner.clean(prepared("Cleaning").database());
	}

	@Override
	public void close() {
		this.executor.shutdownNow();
		Prepared ready = this.prepared;
		if (ready != null) {
			change(ready.database().transactionManager(), (listeners) -> listeners.remove(ready.verifier()));
		}
	}

	/**
	 * State that exists once the fence was needed.
	 *
	 * @param database the database
	 * @param verifier the listener of its transactions
	 */
	private record Prepared(FencedDatabase database, CommitVerifier verifier) {
	}

}
