package io.lockstarter.verification.model;

/**
 * What one client knows of one lock: an abstraction of the engine with a single request
 * at a time.
 */
final class Client {

	/** How long a tick of the clock is. */
	static final int TICK_MILLIS = 500;

	static final int LEASE_MILLIS = 1000;

	final int index;

	final String id;

	final char mode;

	Phase phase = Phase.IDLE;

	/** The present tenure, or the last one. */
	int sequence;

	/** The highest number of a tenure so far. */
	int tenures;

	int asks;

	/** The number of the command whose answer it waits for. */
	int awaiting;

	/** When that command was sent. */
	int sentAt;

	/** Since when the present request waits. */
	int since;

	/** The place among the waiting, -1 if there is none. */
	long place = -1;

	int registered;

	int registeredAt;

	long registeredMicros;

	int registering;

	boolean woken;

	/** The request has left while an answer is on its way. */
	boolean abandoned;

	long deadlineMillis;

	int renewing;

	int renewedAt;

	Client(int index, char mode) {
		this.index = index;
		this.id = Character.toString("abc".charAt(index)).repeat(32);
		this.mode = mode;
	}

	Client copy() {
		Client copy = new Client(this.index, this.mode);
		copy.phase = this.phase;
		copy.sequence = this.sequence;
		copy.tenures = this.tenures;
		copy.asks = this.asks;
		copy.awaiting = this.awaiting;
		copy.sentAt = this.sentAt;
		copy.since = this.since;
		copy.place = this.place;
		copy.registered = this.registered;
		copy.registeredAt = this.registeredAt;
		copy.registeredMicros = this.registeredMicros;
		copy.registering = this.registering;
		copy.woken = this.woken;
		copy.abandoned = this.abandoned;
		copy.deadlineMillis = this.deadlineMillis;
		copy.renewing = this.renewing;
		copy.renewedAt = this.renewedAt;
		return copy;
	}

	boolean reads() {
		return this.mode == 'r';
	}

	String tenure(int number) {
		return this.id + ":" + number;
	}

	boolean holds() {
		return this.phase == Phase.HOLDING;
	}

	@Override
	public String toString() {
		return "%s %d %d %d %d %d %d %d %d %d %d %d %s %s %d %d %d".formatted(this.phase, this.sequence, this.tenures,
				this.asks, this.awaiting, this.sentAt, this.since, this.place, this.registered, this.registeredAt,
				this.registeredMicros, this.registering, this.woken, this.abandoned, this.deadlineMillis, this.renewing,
				this.renewedAt);
	}

	enum Phase {

		IDLE, ASKING, ASLEEP, HOLDING, RELEASING, DEAD

	}

}
