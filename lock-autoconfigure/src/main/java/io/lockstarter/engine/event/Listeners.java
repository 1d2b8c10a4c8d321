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
 * Notification of listeners and observers, none of which can affect a lock. Exceptions
 * are logged. Events that occur on a thread that locks depend on are published on another
 * thread.
 */
public final class Listeners implements AutoCloseable {

	private static final LockLog logger = LockLog.of(Listeners.class);

	private final List<LockListener> listeners;

	private final Observers observers;

	private final Workers lossThread = new Workers(LockThreads.daemons("lock-loss"), 1, 0);

	/**
	 * Thread that notifies listeners of losses. A slow listener does not delay the log
	 * and the observers of the next loss.
	 */
	private final Workers listenerThread = new Workers(LockThreads.daemons("lock-listener"), 1, 0);

	private final RenewalNotifier renewalNotifier;

	private final DifferingPermits differingPermits = new DifferingPermits();

	private final Consumer<Runnable> later;

	private volatile boolean closed;

	/**
	 * Creates the notification of listeners and observers.
	 * @param later runs an action after a short time
	 */
	public Listeners(List<LockListener> listeners, List<LockObserver> observers, Consumer<Runnable> later) {
		this.later = later;
		this.listeners = List.copyOf(listeners);
		this.observers = new Observers(observers);
		this.renewalNotifier = new RenewalNotifier(later);
	}

	public void publish(Consumer<LockListener> event) {
		for (LockListener listener : this.listeners) {
			publish(listener, event);
		}
	}

	private static void publish(LockListener listener, Consumer<LockListener> event) {
		try {
			event.accept(listener);
		}
		catch (Throwable ex) {
			logger.error("Lock listener of type " + listener.getClass().getName() + " failed", ex);
		}
	}

	/** Publishes a renewal on a thread that no lock depends on. */
	public void publishRenewal(Consumer<LockListener> event) {
		this.renewalNotifier.publish(() -> {
			for (LockListener listener : this.listeners) {
				this.renewalNotifier.calling(listener, () -> publish(listener, event));
			}
		});
	}

	/** Returns whether there are no listeners, so that no event needs to be created. */
	public boolean isEmpty() {
		return this.listeners.isEmpty();
	}

	/** Returns whether there are observers. */
	public boolean observe() {
		return !this.observers.isEmpty();
	}

	/** Returns all observers as one, which never throws. */
	public LockObserver observers() {
		return this.observers;
	}

	/**
	 * Publishes that an owner has acquired a lock.
	 * @param waited the time that the request waited
	 * @param handedOver whether another owner in this JVM handed the lock over
	 */
	public void acquired(LockHandle handle, Duration waited, boolean handedOver) {
		publish((listener) -> listener.acquired(handle, waited));
		if (handedOver) {
			publish((listener) -> listener.handedOver(handle));
		}
	}

	/** Publishes that a request has not acquired the lock. */
	public void notAcquired(LockRequest request, LockListener.Outcome outcome, Duration waited) {
		publish((listener) -> listener.notAcquired(request, outcome, waited));
	}

	/** Publishes that a lock has been released. */
	public void released(LockHandle handle, Duration heldFor) {
		publish((listener) -> listener.released(handle, heldFor));
	}

	/** Publishes a loss to the log, to the observers of the hold and to listeners. */
	public void lost(HoldSpan span, LockLoss loss) {
		// An observer may block, so it is not called on the timer's thread.
		on(this.lossThread, () -> {
			logger.warn(loss);
			span.end(loss);
		});
		if (!isEmpty()) {
			on(this.listenerThread,
					() -> this.listeners.forEach((listener) -> publish(listener, (each) -> each.lost(loss))));
		}
	}

	/** Reports a holder whose number of permits differs from that of a request. */
	public void differingPermits(LockRequest request, String requester, PermitHolder other) {
		this.differingPermits.found(request, requester, other);
	}

	/**
	 * Runs a notification on a thread, and retries until a thread can be started. Does
	 * nothing once closed.
	 */
	private void on(Workers thread, Runnable notification) {
		if (!this.closed) {
			thread.execute(notification, (refusal) -> this.later.accept(() -> on(thread, notification)));
		}
	}

	@Override
	public void close() {
		this.closed = true;
		this.lossThread.close();
		this.listenerThread.close();
		this.renewalNotifier.close();
	}

}
