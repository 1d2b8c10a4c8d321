package io.lockstarter.observation;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener.Outcome;
import io.lockstarter.core.LockLoss;
import io.lockstarter.core.LockLostException;
import io.lockstarter.core.LockObserver;
import io.lockstarter.core.LockRequest;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Makes an observation of each request and of each hold, of which Micrometer makes timers
 * and spans. Both have the observation as their parent that was current where the lock
 * was asked for, also if it is granted or released on another thread.
 */
public final class LockObservations implements LockObserver {

	private final ObservationRegistry registry;

	private final LockAcquireConvention acquireConvention;

	private final LockHoldConvention holdConvention;

	/**
	 * Observe for a registry.
	 * @param registry whose handlers are told
	 * @param acquireConvention names and tags requests
	 * @param holdConvention names and tags holds
	 */
	public LockObservations(ObservationRegistry registry, LockAcquireConvention acquireConvention,
			LockHoldConvention holdConvention) {
		this.registry = registry;
		this.acquireConvention = acquireConvention;
		this.holdConvention = holdConvention;
	}

	@Override
	public @Nullable Wait requested(LockRequest request) {
		if (this.registry.isNoop()) {
			return null;
		}
		Observation parent = this.registry.getCurrentObservation();
		LockAcquireContext context = new LockAcquireContext(request);
		Observation observation = Observation.createNotStarted(this.acquireConvention, () -> context, this.registry)
			.parentObservation(parent)
			.start();
		return new ObservedWait(parent, context, observation);
	}

	private Span hold(LockHandle lock, @Nullable Observation parent) {
		Observation observation = Observation
			.createNotStarted(this.holdConvention, () -> new LockHoldContext(lock), this.registry)
			.parentObservation(parent)
			.start();
		return new ObservedHold(observation);
	}

	/**
	 * A request under observation.
	 */
	private final class ObservedWait implements Wait {

		private final @Nullable Observation parent;

		private final LockAcquireContext context;

		private final Observation observation;

		ObservedWait(@Nullable Observation parent, LockAcquireContext context, Observation observation) {
			this.parent = parent;
			this.context = context;
			this.observation = observation;
		}

		@Override
		public Span acquired(LockHandle lock) {
			this.context.acquired(lock);
			this.observation.stop();
			return hold(lock, this.parent);
		}

		@Override
		public void notAcquired(Outcome outcome, @Nullable Throwable cause) {
			this.context.notAcquired(outcome);
			if (cause != null) {
				this.observation.error(cause);
			}
			this.observation.stop();
		}

	}

	/**
	 * A hold under observation.
	 */
	private record ObservedHold(Observation observation) implements Span {

		@Override
		public void released() {
			this.observation.stop();
		}

		@Override
		public void lost(LockLoss loss) {
			this.observation.error(new LockLostException(loss));
			this.observation.stop();
		}

	}

}
