package io.lockstarter.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * Observations of locks. Their names and low-cardinality keys are those of the timers in
 * {@link LockMeterDocumentation}, which are recorded from them.
 */
public enum LockObservationDocumentation implements ObservationDocumentation {

	/**
	 * A request for a lock, from its beginning until it completes.
	 */
	ACQUIRE {
		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return DefaultLockAcquireConvention.class;
		}

		@Override
		public KeyName[] getLowCardinalityKeyNames() {
			return KeyName.merge(LockMeterDocumentation.ACQUIRE.getKeyNames());
		}
	},

	/**
	 * A hold, from the acquisition of the lock to its release or loss.
	 */
	HOLD {
		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return DefaultLockHoldConvention.class;
		}

		@Override
		public KeyName[] getLowCardinalityKeyNames() {
			return KeyName.merge(LockMeterDocumentation.HOLD.getKeyNames());
		}
	};

	@Override
	public KeyName[] getHighCardinalityKeyNames() {
		return KeyName.merge(Detail.values());
	}

	/**
	 * High-cardinality keys, for traces only.
	 */
	public enum Detail implements KeyName {

		/** The lock's name. */
		LOCK,
		/** The hold's fencing token, once there is one. */
		TOKEN;

		private final String key = TagValues.of(this);

		@Override
		public String asString() {
			return this.key;
		}

	}

}
