package io.lockstarter.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Convention for the names and tags of the observations of holds. A bean of this type
 * replaces the default.
 */
public interface LockHoldConvention extends ObservationConvention<LockHoldContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof LockHoldContext;
	}

}
