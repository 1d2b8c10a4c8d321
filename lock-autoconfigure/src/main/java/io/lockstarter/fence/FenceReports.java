package io.lockstarter.fence;

import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.lockstarter.core.FenceRefusal;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.StaleTokenException;
import io.lockstarter.logging.LockLog;

/**
 * Notification of listeners about verified and refused tokens. Exceptions of listeners
 * are logged and have no other effect.
 */
final class FenceReports {

	private static final LockLog logger = LockLog.of(FenceReports.class);

	private final List<LockListener> listeners;

	private final Executor executor;

	/**
	 * Creates the notification.
	 * @param executor the executor that reports refusals, because a listener that uses
	 * the database must not do so in the transaction that is being rolled back
	 */
	FenceReports(List<LockListener> listeners, Executor executor) {
		this.listeners = listeners;
		this.executor = executor;
	}

	/** Runs a statement, and reports a refusal to listeners before it is thrown. */
	void refusals(Statement statement) throws SQLException {
		try {
			statement.run();
		}
		catch (StaleTokenException ex) {
			FenceRefusal refusal = ex.refusal();
			this.executor.execute(() -> notifyListeners((listener) -> listener.fenceRefused(refusal)));
			throw ex;
		}
	}

	void committed(LockHandle lock) {
		notifyListeners((listener) -> listener.fenceCommitted(lock));
	}

	private void notifyListeners(Consumer<LockListener> event) {
		for (LockListener listener : this.listeners) {
			try {
				event.accept(listener);
			}
			catch (RuntimeException | Error ex) {
				logger.error("Lock listener of type " + listener.getClass().getName() + " failed", ex);
			}
		}
	}

	/**
	 * Statement that the database may refuse.
	 */
	@FunctionalInterface
	interface Statement {

		void run() throws SQLException;

	}

}
