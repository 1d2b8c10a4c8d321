package io.lockstarter.engine.event;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockObserver;
import io.lockstarter.core.LockRequest;
import io.lockstarter.core.LockThreads;
import io.lockstarter.core.backend.LockBackend.PermitHolder;
import io.lockstarter.logging.LockLog;

/**
 * Tells listeners and observers what happens. None of them can do harm to a lock: what
 * one throws is logged, and what happens on a thread that locks need is told on another.
 */
public final class Listeners implements AutoCloseable {

	private static final LockLog logger = LockLog.of(Listeners.class);

	private final List<LockListener> listeners;

	private final Observers observers;

	private final Workers lossThread = new Workers(LockThreads.daemons("lock-loss"), 1, 0);

	/**
	 * What listeners do about a loss may take long, and keeps nobody from hearing of the
	 * next.
	 */
	private final Workers listenerThread = new Workers(LockThreads.daemons("lock-listener"), 1, 0);

	private final RenewalNews renewalNews = new RenewalNews();

	private final DifferingPermits differingPermits = new DifferingPermits();

	private final Consumer<Runnable> later;

	private volatile boolean closed;

	/**
	 * Tell listeners and observers.
	 * @param later tries again in a moment what no thread can be had for
	 */
	public Listeners(List<LockListener> listeners, List<LockObserver> observers, Consumer<Runnable> later) {
		this.later = later;
		this.listeners = List.copyOf(listeners);
		this.observers = new Observers(observers);
	}

	public void tell(Consumer<LockListener> event) {
		for (LockListener listener : this.listeners) {
			tell(listener, event);
		}
	}

	private static void tell(LockListener listener, Consumer<LockListener> event) {
		try {
			event.accept(listener);
		}
		catch (Throwable ex) {
			logger.error("Lock listener of type " + listener.getClass().getName() + " failed", ex);
		}
	}

	/** Tell of a renewal, on a thread that no lock waits for. */
	public void tellOfRenewal(Consumer<LockListener> event) {
		this.renewalNews.tell(() -> {
			for (LockListener listener : this.listeners) {
				this.renewalNews.calling(listener, () -> tell(listener, event));
			}
		});
	}

	/** Returns whether there is no listener, so that nothing needs to be prepared. */
	public boolean isEmpty() {
		return this.listeners.isEmpty();
	}

	/** Whether anybody accompanies requests. */
	public boolean observe() {
		return !this.observers.isEmpty();
	}

	/** Observers, as one who throws nothing. */
	public LockObserver observers() {
		return this.observers;
	}

	/**
	 * Tell that an owner has a lock.
	 * @param waited how long it was waited for
	 * @param handedOver whether another owner in this JVM has handed it over
	 */
	public void acquired(LockHandle handle, Duration waited, boolean handedOver) {
		tell((listener) -> listener.acquired(handle, waited));
		if (handedOver) {
			tell((listener) -> listener.handedOver(handle));
		}
	}

	/** Tell that a request did not get the lock. */
	public void notAcquired(LockRequest request, LockListener.Outcome outcome, Duration waited) {
		tell((listener) -> listener.notAcquired(request, outcome, waited));
	}

	/** Tell that a lock has been released. */
	public void released(LockHandle handle, Duration heldFor) {
		tell((listener) -> listener.released(handle, heldFor));
	}

	/** Tell of a loss, and those who observe the hold. */
	public void lost(HoldSpan span, LockLoss loss) {
		// Not on the timer's thread: an observer may block.
		on(this.lossThread, () -> {
			logger.warn(loss);
			span.end(loss);
		});
		if (!isEmpty()) {
			on(this.listenerThread,
					() -> this.listeners.forEach((listener) -> tell(listener, (each) -> each.lost(loss))));
		}
	}

	/** Tell that others have a lock with another number of permits. */
	public void differingPermits(LockRequest request, String asker, PermitHolder other) {
		this.differingPermits.found(request, asker, other);
	}

	/** However long it takes to get a thread. After the end there is nothing to tell. */
	private void on(Workers thread, Runnable news) {
		if (!this.closed) {
			thread.execute(news, (refusal) -> this.later.accept(() -> on(thread, news)));
		}
	}

	@Override
	public void close() {
		this.closed = true;
		this.lossThread.close();
		this.listenerThread.close();
		this.renewalNews.close();
	}

}
