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
 * What visitors can try, each with a lock of its own.
 */
enum Experiment {

	/** Many want one lock. */
	CONTENTION("seat:front-row"),
	/** The work takes longer than the lease. */
	LONG_HOLD("stocktaking"),
	/** The holder freezes until its lease has ended. */
	FREEZE("ledger"),
	/** The holder cannot reach Redis. */
	CUT("sound-check"),

	/** A holder freezes in a transaction that only its lock protects. */
	UNFENCED("till:unfenced"),

	/** A holder freezes in a transaction that the database refuses to commit. */
	FENCED("till:fenced");

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final String lock;

	Experiment(String lock) {
		this.lock = lock;
	}

	/** What pages call it. */
	@JsonValue
	String id() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/** A request of an owner that is no thread: others may go on where it began. */
	LockRequest request(String owner) {
		return LockRequest.of(this.lock).metricName("experiment").owner(LockOwner.create(owner)).waitTime(PATIENCE);
	}

	static Experiment withId(String id) {
		return Stream.of(values())
			.filter((experiment) -> experiment.id().equals(id))
			.findFirst()
			.orElseThrow(() -> new NoSuchElementException("There is no such experiment."));
	}

	/** The experiment that has a lock, if one has it. */
	static Optional<Experiment> withLock(String lock) {
		return Stream.of(values())
			.filter((experiment) -> lock.equals(experiment.lock)
					|| lock.equals(TicketOffice.LOCK + ":" + experiment.id()))
			.findFirst();
	}

}
