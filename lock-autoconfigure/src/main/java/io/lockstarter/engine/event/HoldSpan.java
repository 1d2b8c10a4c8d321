package io.lockstarter.engine.event;

import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockObserver;
import org.jspecify.annotations.Nullable;

/**
 * What observes one hold, from the moment its owner is told of it until it ends.
 * Thread-safe: a hold may end before anybody begins to observe it.
 */
public final class HoldSpan {

	private LockObserver.@Nullable Span observer;

	private boolean over;

	/**
	 * Begin to observe the hold.
	 * @param begun hears of the end of the hold, at once if it has ended already
	 * @param loss how the hold was lost; {@code null} if it was not
	 */
	public void begin(LockObserver.Span begun, @Nullable LockLoss loss) {
		if (!accepted(begun)) {
			tell(begun, loss);
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

	/** The hold has ended: by that loss, or by a release if there is none. */
	public void end(@Nullable LockLoss loss) {
		LockObserver.Span told = close();
		if (told != null) {
			tell(told, loss);
		}
	}

	private synchronized LockObserver.@Nullable Span close() {
		LockObserver.Span told = this.observer;
		this.observer = null;
		this.over = true;
		return told;
	}

	private static void tell(LockObserver.Span observer, @Nullable LockLoss loss) {
		if (loss != null) {
			observer.lost(loss);
		}
		else {
			observer.released();
		}
	}

}
