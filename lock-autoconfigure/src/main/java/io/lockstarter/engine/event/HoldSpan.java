package io.lockstarter.engine.event;

import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockObserver;
import org.jspecify.annotations.Nullable;

/**
 * Observation of one hold, from the notification of its owner until its end. The hold may
 * end before the observation begins. Thread-safe.
 */
public final class HoldSpan {

	private LockObserver.@Nullable Span observer;

	private boolean over;

	/**
	 * Begins to observe the hold.
	 * @param begun is notified of the end of the hold, at once if it has already ended
	 * @param loss the loss of the hold, or {@code null} if it was not lost
	 */
	public void begin(LockObserver.Span begun, @Nullable LockLoss loss) {
		if (!accepted(begun)) {
			notifyObserver(begun, loss);
		}
	}

	private synchronized boolean accepted(LockObserver.Span begun) {
		if (!this.over) {
			this.observer = begun;
		}
		return !this.over;
	}

	public synchronized boolean isObserved() {
		return this.observer != null;
	}

	/**
	 * Ends the observation with a loss, or with a release if the loss is {@code null}.
	 */
	public void end(@Nullable LockLoss loss) {
		LockObserver.Span ended = close();
		if (ended != null) {
			notifyObserver(ended, loss);
		}
	}

	private synchronized LockObserver.@Nullable Span close() {
		LockObserver.Span ended = this.observer;
		this.observer = null;
		this.over = true;
		return ended;
	}

	private static void notifyObserver(LockObserver.Span observer, @Nullable LockLoss loss) {
		if (loss != null) {
			observer.lost(loss);
		}
		else {
			observer.released();
		}
	}

}
