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
 * Tells listeners what the database says. What one throws is logged, and changes nothing.
 */
final class FenceReports {

	private static final LockLog logger = LockLog.of(FenceReports.class);

	private final List<LockListener> listeners;

	private final Executor executor;

	/**
	 * Tells listeners.
	 * @param executor tells of refusals: a listener that uses the database must not do so
	 * in the transaction that is being rolled back
	 */
	FenceReports(List<LockListener> listeners, Executor executor) {
		this.listeners = listeners;
		this.executor = executor;
	}

	/** Tells of a refusal, which goes to the caller as well. */
	void refusals(Statement statement) throws SQLException {
		try {
			statement.run();
		}
		catch (StaleTokenException ex) {
			FenceRefusal refusal = ex.refusal();
			this.executor.execute(() -> tell((listener) -> listener.fenceRefused(refusal)));
			throw ex;
		}
	}

	void committed(LockHandle lock) {
		tell((listener) -> listener.fenceCommitted(lock));
	}

	private void tell(Consumer<LockListener> event) {
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
	 * What the database may refuse.
	 */
	@FunctionalInterface
	interface Statement {

		void run() throws SQLException;

	}

}
