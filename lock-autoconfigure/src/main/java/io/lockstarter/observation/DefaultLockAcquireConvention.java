package io.lockstarter.observation;

import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockListener.Outcome;
import io.lockstarter.core.LockRequest;
import io.lockstarter.observation.LockMeterDocumentation.Tag;
import io.lockstarter.observation.LockObservationDocumentation.Detail;
import io.micrometer.common.KeyValues;
import org.jspecify.annotations.Nullable;

/**
 * Default names and tags of the observations of requests, as documented by
 * {@link LockObservationDocumentation}.
 */
public class DefaultLockAcquireConvention implements LockAcquireConvention {

	@Override
	public String getName() {
		return LockMeterDocumentation.ACQUIRE.getName();
	}

	@Override
	public String getContextualName(LockAcquireContext context) {
		return "acquire " + context.getRequest().metricName();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(LockAcquireContext context) {
		LockRequest request = context.getRequest();
		KeyValues values = KeyValues.of(Tag.NAME.withValue(request.metricName()),
				Tag.TYPE.withValue(request.type().tag()), Tag.OUTCOME.withValue(outcome(context)));
		return withRegistry(values, request.registry());
	}

	/** Adds the tag of the registry. A single registry has no name. */
	static KeyValues withRegistry(KeyValues values, @Nullable String registry) {
		return (registry != null) ? values.and(Tag.REGISTRY.withValue(registry)) : values;
	}

	private static String outcome(LockAcquireContext context) {
		Outcome failure = context.getOutcome();
		if (failure != null) {
			return TagValues.of(context.getRequest(), failure);
		}
		return (context.getLock() != null) ? "acquired" : "waiting";
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(LockAcquireContext context) {
		KeyValues details = KeyValues.of(Detail.LOCK.withValue(context.getRequest().name()));
		LockHandle lock = context.getLock();
		return (lock != null) ? details.and(Detail.TOKEN.withValue(Long.toString(lock.fencingToken()))) : details;
	}

}
