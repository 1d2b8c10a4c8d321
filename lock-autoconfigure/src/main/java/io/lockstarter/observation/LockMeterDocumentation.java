package io.lockstarter.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.docs.MeterDocumentation;

/**
 * Meters of locks.
 */
enum LockMeterDocumentation implements MeterDocumentation {

	/**
	 * Duration of requests, whether or not they acquired their lock.
	 */
	ACQUIRE("distributed.lock.acquire", Meter.Type.TIMER, "Time to acquire a lock, or to fail to", Tag.NAME, Tag.TYPE,
			Tag.OUTCOME),

	/**
	 * Duration of holds, until their release or loss.
	 */
	HOLD("distributed.lock.hold", Meter.Type.TIMER, "Time from acquiring a lock to its release or loss", Tag.NAME,
			Tag.TYPE),

	/**
	 * Number of locks that this instance currently holds.
	 */
	HELD("distributed.lock.held", Meter.Type.GAUGE, "Locks held by this instance", Tag.NAME),

	/**
	 * Number of requests of this instance that currently wait.
	 */
	WAITING("distributed.lock.waiting", Meter.Type.GAUGE, "Lock requests of this instance that wait", Tag.NAME),

	/**
	 * Current age of the oldest hold.
	 */
	OLDEST_HOLD("distributed.lock.hold.oldest", Meter.Type.GAUGE,
			"Time for which the oldest hold of this instance has lasted, 0 if there is none", Tag.NAME),

	/**
	 * Current age of the oldest waiting request.
	 */
	LONGEST_WAIT("distributed.lock.wait.longest", Meter.Type.GAUGE,
			"Time for which a request of this instance has waited longest, 0 if none waits", Tag.NAME),

	/**
	 * Number of permits of a lock.
	 */
	PERMITS("distributed.lock.permits", Meter.Type.GAUGE, "How many may hold a lock at a time, as last granted",
			Tag.NAME),

	/**
	 * Number of permits that this instance currently holds.
	 */
	PERMITS_HELD("distributed.lock.permits.held", Meter.Type.GAUGE, "Permits held by this instance", Tag.NAME),

	/**
	 * Number of locks that were lost before their holder released them.
	 */
	LOST("distributed.lock.lost", Meter.Type.COUNTER, "Locks lost before their holder released them", Tag.NAME,
			Tag.TYPE, Tag.REASON),

	/**
	 * Number of acquisitions without a call to the backend.
	 */
	HANDOVERS("distributed.lock.handovers", Meter.Type.COUNTER,
			"Acquisitions by hand-over within this instance, without a call to the backend", Tag.NAME, Tag.TYPE),

	/**
	 * Number of attempts of the watchdog to renew a lease.
	 */
	RENEWALS("distributed.lock.renewals", Meter.Type.COUNTER, "Attempts to renew a lease", Tag.NAME, Tag.TYPE,
			Tag.OUTCOME),

	/**
	 * Number of decisions of the database about fenced locks.
	 */
	FENCED("distributed.lock.fenced", Meter.Type.COUNTER, "Decisions of the database about fenced locks", Tag.NAME,
			Tag.TYPE, Tag.OUTCOME);

	private final String name;

	private final Meter.Type type;

	private final String description;

	@SuppressWarnings("ImmutableEnumChecker") // never written, handed out as a copy
	private final Tag[] tags;

	LockMeterDocumentation(String name, Meter.Type type, String description, Tag... tags) {
		this.name = name;
		this.type = type;
		this.description = description;
		this.tags = tags;
	}

	@Override
	public String getName() {
		return this.name;
	}

	@Override
	public Meter.Type getType() {
		return this.type;
	}

	@Override
	public KeyName[] getKeyNames() {
		return this.tags.clone();
	}

	String description() {
		return this.description;
	}

	/**
	 * Tags of the meters. Their values are few, because none is derived from the key of a
	 * lock.
	 */
	enum Tag implements KeyName {

		/** The metric name of the lock, never its resolved name. */
		NAME,
		/** The type of the lock. */
		TYPE,
		/**
		 * For an acquisition {@code acquired}, {@code timeout}, {@code busy},
		 * {@code cancelled}, {@code error} or {@code closed}; for a renewal
		 * {@code renewed} or {@code failed}; for a fenced lock {@code committed},
		 * {@code refused} for a transaction that was rolled back, or {@code stale} for a
		 * token that was refused before the work.
		 */
		OUTCOME,
		/** The reason of the loss. */
		REASON,
		/** The registry of the lock; only present if there are several registries. */
		REGISTRY;

		private final String key = TagValues.of(this);

		@Override
		public String asString() {
			return this.key;
		}

	}

}
