package io.lockstarter.observation;

import io.lockstarter.core.LockHandle;
import io.lockstarter.observation.LockMeterDocumentation.Tag;
import io.lockstarter.observation.LockObservationDocumentation.Detail;
import io.micrometer.common.KeyValues;

/**
 * Default names and tags of the observations of holds, as documented by
 * {@link LockObservationDocumentation}.
 */
public class DefaultLockHoldConvention implements LockHoldConvention {

	@Override
	public String getName() {
		return LockMeterDocumentation.HOLD.getName();
	}

	@Override
	public String getContextualName(LockHoldContext context) {
		return "hold " + context.getLock().metricName();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(LockHoldContext context) {
		LockHandle lock = context.getLock();
		return DefaultLockAcquireConvention.withRegistry(
				KeyValues.of(Tag.NAME.withValue(lock.metricName()), Tag.TYPE.withValue(lock.type().tag())),
				lock.registry());
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(LockHoldContext context) {
		LockHandle lock = context.getLock();
		return KeyValues.of(Detail.LOCK.withValue(lock.name()),
				Detail.TOKEN.withValue(Long.toString(lock.fencingToken())));
	}

}
