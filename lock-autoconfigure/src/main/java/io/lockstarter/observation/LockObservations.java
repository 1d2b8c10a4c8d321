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
 * Observer that creates an observation of each request and of each hold, from which
 * Micrometer creates timers and spans. The parent of both is the current observation of
 * the request, even if the lock is granted or released on another thread.
 */
public final class LockObservations implements LockObserver {

	private final ObservationRegistry registry;

	private final LockAcquireConvention acquireConvention;

	private final LockHoldConvention holdConvention;

	/**
	 * Creates an observer.
	 * @param registry the registry of the observations
	 * @param acquireConvention the names and tags of requests
	 * @param holdConvention the names and tags of holds
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
	 * Observed request.
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
	 * Observed hold.
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
