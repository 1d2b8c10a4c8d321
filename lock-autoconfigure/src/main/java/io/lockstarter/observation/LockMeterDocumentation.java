package io.lockstarter.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.docs.MeterDocumentation;

/**
 * The meters of locks.
 */
enum LockMeterDocumentation implements MeterDocumentation {

	/**
	 * How long requests took, whether they got their lock or not.
	 */
	ACQUIRE("distributed.lock.acquire", Meter.Type.TIMER, "Time to acquire a lock, or to fail to", Tag.NAME, Tag.TYPE,
			Tag.OUTCOME),

	/**
	 * How long locks were held, until their release or loss.
	 */
	HOLD("distributed.lock.hold", Meter.Type.TIMER, "Time from acquiring a lock to its release or loss", Tag.NAME,
			Tag.TYPE),

	/**
	 * How many locks this instance holds now.
	 */
	HELD("distributed.lock.held", Meter.Type.GAUGE, "Locks held by this instance", Tag.NAME),

	/**
	 * How many requests of this instance wait now.
	 */
	WAITING("distributed.lock.waiting", Meter.Type.GAUGE, "Lock requests of this instance that wait", Tag.NAME),

	/**
	 * How long the lock that is held longest has been held by now.
	 */
	OLDEST_HOLD("distributed.lock.hold.oldest", Meter.Type.GAUGE,
			"Time for which the oldest hold of this instance has lasted, 0 if there is none", Tag.NAME),

	/**
	 * How long the request that waits longest has waited by now.
	 */
	LONGEST_WAIT("distributed.lock.wait.longest", Meter.Type.GAUGE,
			"Time for which a request of this instance has waited longest, 0 if none waits", Tag.NAME),

	/**
	 * How many may hold a lock at a time.
	 */
	PERMITS("distributed.lock.permits", Meter.Type.GAUGE, "How many may hold a lock at a time, as last granted",
			Tag.NAME),

	/**
	 * How many permits this instance holds now.
	 */
	PERMITS_HELD("distributed.lock.permits.held", Meter.Type.GAUGE, "Permits held by this instance", Tag.NAME),

	/**
	 * How many locks were lost before their holder released them.
	 */
	LOST("distributed.lock.lost", Meter.Type.COUNTER, "Locks lost before their holder released them", Tag.NAME,
			Tag.TYPE, Tag.REASON),

	/**
	 * How many acquisitions needed no call to the backend.
	 */
	HANDOVERS("distributed.lock.handovers", Meter.Type.COUNTER,
			"Acquisitions by hand-over within this instance, without a call to the backend", Tag.NAME, Tag.TYPE),

	/**
	 * How many attempts of the watchdog to renew a lease were made.
	 */
	RENEWALS("distributed.lock.renewals", Meter.Type.COUNTER, "Attempts to renew a lease", Tag.NAME, Tag.TYPE,
			Tag.OUTCOME),

	/**
	 * How often the database had the last word about a fenced lock.
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
	 * The tags of these meters. Their values are few: none is made from a lock's key.
	 */
	enum Tag implements KeyName {

		/** The group the lock counts under: never its resolved name. */
		NAME,
		/** The type of the lock. */
		TYPE,
		/**
		 * Of an acquisition {@code acquired}, {@code timeout}, {@code busy},
		 * {@code cancelled}, {@code error} or {@code closed}; of a renewal
		 * {@code renewed} or {@code failed}; of a fenced lock {@code committed},
		 * {@code refused} for a transaction that was rolled back, or {@code stale} for a
		 * token that was refused before the work.
		 */
		OUTCOME,
		/** Why the lock was lost. */
		REASON,
		/** The registry of the lock: of all meters if there are several, else of none. */
		REGISTRY;

		private final String key = TagValues.of(this);

		@Override
		public String asString() {
			return this.key;
		}

	}

}
