package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Calls all listeners, none of which can do harm to a lock: what one throws is logged,
 * and a loss is told on a thread that no lock waits for.
 */
final class Listeners implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(Listeners.class);

	private final List<LockListener> listeners;

	private final ThreadPoolExecutor lossThread;

	Listeners(List<LockListener> listeners) {
		this.listeners = List.copyOf(listeners);
		this.lossThread = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), (task) -> {
			Thread thread = new Thread(task, "lock-loss");
			thread.setDaemon(true);
			return thread;
		}, (task, pool) -> task.run());
		this.lossThread.allowCoreThreadTimeOut(true);
	}

	void tell(Consumer<LockListener> event) {
		for (LockListener listener : this.listeners) {
			try {
				event.accept(listener);
			}
			catch (Throwable ex) {
				logger.error("Lock listener " + listener + " failed", ex);
			}
		}
	}

	/** Whether nobody listens, so that nothing need be prepared for it. */
	boolean isEmpty() {
		return this.listeners.isEmpty();
	}

	void released(Hold ended, Duration heldFor) {
		if (!isEmpty()) {
			tell((listener) -> listener.released(new Handle(ended), heldFor));
		}
	}

	void lost(LockLoss loss) {
		logger.warn(loss);
		this.lossThread.execute(() -> tell((listener) -> listener.lost(loss)));
	}

	@Override
	public void close() {
		this.lossThread.shutdown();
	}

}
