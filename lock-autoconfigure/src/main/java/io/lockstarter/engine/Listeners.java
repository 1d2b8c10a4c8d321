package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockObserver;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Tells listeners and observers what happens. None of them can do harm to a lock: what
 * one throws is logged, and a loss is told on a thread that no lock waits for.
 */
final class Listeners implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(Listeners.class);

	private final List<LockListener> listeners;

	private final Observers observers;

	private final ThreadPoolExecutor lossThread = thread("lock-loss");

	/**
	 * What listeners do about a loss may take long, and keeps nobody from hearing of the
	 * next.
	 */
	private final ThreadPoolExecutor listenerThread = thread("lock-listener");

	Listeners(List<LockListener> listeners, List<LockObserver> observers) {
		this.listeners = List.copyOf(listeners);
		this.observers = new Observers(observers);
	}

	/**
	 * One thread while there is something to do. After the end there is nothing to tell.
	 */
	private static ThreadPoolExecutor thread(String name) {
		ThreadPoolExecutor executor = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				(task) -> {
					Thread thread = new Thread(task, name);
					thread.setDaemon(true);
					return thread;
				}, new ThreadPoolExecutor.DiscardPolicy());
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

	void tell(Consumer<LockListener> event) {
		for (LockListener listener : this.listeners) {
			try {
				event.accept(listener);
			}
			catch (Throwable ex) {
				logger.error("Lock listener of type " + listener.getClass().getName() + " failed", ex);
			}
		}
	}

	/** Whether nobody listens, so that nothing need be prepared for it. */
	boolean isEmpty() {
		return this.listeners.isEmpty();
	}

	/** Whether anybody accompanies requests. */
	boolean observe() {
		return !this.observers.isEmpty();
	}

	/** Whether anybody is to be told of the end of a hold. */
	boolean hearOf(Hold hold) {
		return !isEmpty() || hold.isObserved();
	}

	void requested(Waiter waiter) {
		waiter.observe(this.observers.requested(waiter.request()));
	}

	void acquired(Waiter waiter, Handle handle) {
		if (!isEmpty()) {
			tellAcquired(waiter, handle);
		}
		LockObserver.Wait observed = waiter.observed();
		LockObserver.Span span = (observed != null) ? observed.acquired(handle) : null;
		if (span != null && handle.entry() == Handle.Entry.REENTERED) {
			// It had to wait for a hold that another request of its owner has begun.
			span.released();
		}
		else if (span != null) {
			handle.observe(span);
		}
	}

	private void tellAcquired(Waiter waiter, Handle handle) {
		Duration waited = waiter.waited();
		if (handle.entry() != Handle.Entry.REENTERED) {
			tell((listener) -> listener.acquired(handle, waited));
		}
		if (handle.entry() == Handle.Entry.HANDED_OVER) {
			tell((listener) -> listener.handedOver(handle));
		}
	}

	void notAcquired(Waiter waiter, LockListener.Outcome outcome) {
		Duration waited = waiter.waited();
		tell((listener) -> listener.notAcquired(waiter.request(), outcome, waited));
		LockObserver.Wait observed = waiter.observed();
		if (observed != null) {
			observed.notAcquired(outcome, waiter.isSettled() ? waiter.failure() : null);
		}
	}

	void released(Hold ended, Duration heldFor) {
		if (!isEmpty()) {
			tell((listener) -> listener.released(new Handle(ended), heldFor));
		}
		ended.observeEnd();
	}

	void lost(Hold lost, LockLoss loss) {
		// Not on the timer's thread: an appender may block.
		this.lossThread.execute(() -> {
			lost.observeEnd();
			logger.warn(loss);
		});
		if (!isEmpty()) {
			this.listenerThread.execute(() -> tell((listener) -> listener.lost(loss)));
		}
	}

	@Override
	public void close() {
		this.lossThread.shutdown();
		this.listenerThread.shutdown();
	}

}
