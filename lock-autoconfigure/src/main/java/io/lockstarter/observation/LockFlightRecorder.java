package io.lockstarter.observation;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener.Outcome;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockObserver;
import io.lockstarter.core.LockRequest;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/**
 * Observer that writes waits and holds as events {@value WAIT} and {@value HOLD} to the
 * JDK Flight Recorder. Their default threshold is 10 ms. Without a recording, the
 * observer costs nothing.
 */
public final class LockFlightRecorder implements LockObserver {

	/** Name of the events of waits. */
	public static final String WAIT = "io.lockstarter.LockWait";

	/** Name of the events of holds. */
	public static final String HOLD = "io.lockstarter.LockHold";

	private static final String CATEGORY = "Distributed Lock";

	private static final String THRESHOLD = "10 ms";

	@Override
	public @Nullable Wait requested(LockRequest request) {
		if (!FlightRecorder.isInitialized()) {
			// Avoids that the first lock waits until the JDK has prepared the event
			// classes.
			return null;
		}
		WaitEvent event = new WaitEvent();
		if (!event.isEnabled() && !new HoldEvent().isEnabled()) {
			return null;
		}
		event.begin();
		return new RecordedWait(request, event);
	}

	private record RecordedWait(LockRequest request, WaitEvent event) implements Wait {

		@Override
		public Span acquired(LockHandle lock) {
			completed("acquired");
			HoldEvent hold = new HoldEvent();
			hold.begin();
			return new RecordedHold(lock, hold);
		}

		@Override
		public void notAcquired(Outcome outcome, @Nullable Throwable cause) {
			completed(TagValues.of(this.request, outcome));
		}

		private void completed(String outcome) {
			this.event.end();
			if (this.event.shouldCommit()) {
				this.event.lock = this.request.name();
				this.event.type = this.request.type().tag();
				this.event.outcome = outcome;
				this.event.commit();
			}
		}

	}

	private record RecordedHold(LockHandle lock, HoldEvent event) implements Span {

		@Override
		public void released() {
			ended(null);
		}

		@Override
		public void lost(LockLoss loss) {
			ended(TagValues.of(loss.reason()));
		}

		private void ended(@Nullable String loss) {
			this.event.end();
			if (this.event.shouldCommit()) {
				this.event.lock = this.lock.name();
				this.event.type = this.lock.type().tag();
				this.event.owner = this.lock.owner().toString();
				this.event.fencingToken = this.lock.fencingToken();
				this.event.loss = loss;
				this.event.commit();
			}
		}

	}

	/**
	 * Event for a request.
	 */
	@Name(WAIT)
	@Label("Lock Wait")
	@Description("A request for a distributed lock, until it completed")
	@Category(CATEGORY)
	@Threshold(THRESHOLD)
	static final class WaitEvent extends Event {

		@Label("Lock")
		@Nullable String lock;

		@Label("Type")
		@Nullable String type;

		@Label("Outcome")
		@Nullable String outcome;

	}

	/**
	 * Event for a hold.
	 */
	@Name(HOLD)
	@Label("Lock Hold")
	@Description("A hold of a distributed lock, until its release or loss")
	@Category(CATEGORY)
	@Threshold(THRESHOLD)
	static final class HoldEvent extends Event {

		@Label("Lock")
		@Nullable String lock;

		@Label("Type")
		@Nullable String type;

		@Label("Owner")
		@Nullable String owner;

		@Label("Fencing Token")
		long fencingToken;

		@Label("Loss")
		@Nullable String loss;

	}

}
