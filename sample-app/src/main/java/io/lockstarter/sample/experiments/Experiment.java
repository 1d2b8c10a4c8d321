package io.lockstarter.sample.experiments;

import java.time.Duration;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonValue;
import io.lockstarter.core.LockOwner;
import io.lockstarter.core.LockRequest;

/**
 * Experiment that visitors can start. Each experiment has its own lock.
 */
enum Experiment {

	/** Many requests for one lock. */
	CONTENTION("seat:front-row"),
	/** Work that takes longer than the lease. */
	LONG_HOLD("stocktaking"),
	/** Holder that freezes until its lease has expired. */
	FREEZE("ledger"),
	/** Holder that cannot reach Redis. */
	CUT("sound-check"),

	/** Holder that freezes in a transaction that only its lock protects. */
	UNFENCED("till:unfenced"),

	/** Holder that freezes in a transaction that the database refuses to commit. */
	FENCED("till:fenced");

	/** Wait time of the requests: 60 s. */
	private static final Duration WAIT_TIME = Duration.ofSeconds(60);

	private final String lock;

	Experiment(String lock) {
		this.lock = lock;
	}

	/** Returns the identifier of this experiment on pages. */
	@JsonValue
	String id() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/**
	 * Returns a request with a new owner, so that another thread may release the lock.
	 */
	LockRequest request(String owner) {
		return LockRequest.of(this.lock).metricName("experiment").owner(LockOwner.create(owner)).waitTime(WAIT_TIME);
	}

	static Experiment withId(String id) {
		return Stream.of(values())
			.filter((experiment) -> experiment.id().equals(id))
			.findFirst()
			.orElseThrow(() -> new NoSuchElementException("There is no such experiment."));
	}

	/** Returns the experiment that uses a lock, if there is one. */
	static Optional<Experiment> withLock(String lock) {
		return Stream.of(values())
			.filter((experiment) -> lock.equals(experiment.lock)
					|| lock.equals(TicketOffice.LOCK + ":" + experiment.id()))
			.findFirst();
	}

}
