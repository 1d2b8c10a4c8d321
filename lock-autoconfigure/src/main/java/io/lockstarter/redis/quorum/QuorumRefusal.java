package io.lockstarter.redis.quorum;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

import io.lockstarter.core.Holder;
import io.lockstarter.core.LockBackendException;
import io.lockstarter.core.LockBackendException.Reason;
import io.lockstarter.core.backend.LockBackend.Acquire;
import io.lockstarter.core.backend.LockBackend.Refused;

/**
 * What to answer to one who has found no majority: who has it, or when to ask again if
 * nobody has.
 */
final class QuorumRefusal {

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

	private static final long LEAST_SPREAD_NANOS = Duration.ofMillis(5).toNanos();

	private final Ballot ballot;

	private final Acquire command;

	private final long elapsedNanos;

	QuorumRefusal(Ballot ballot, Acquire command, long elapsedNanos) {
		this.ballot = ballot;
		this.command = command;
		this.elapsedNanos = elapsedNanos;
	}

	/**
	 * The answer.
	 * @param micros the time by most servers
	 * @param furthest the highest token base that most servers would accept
	 * @throws LockBackendException if the servers are the reason
	 */
	Refused answer(long micros, long furthest) {
		List<Vote.Failed> failed = this.ballot.votes(Vote.Failed.class).toList();
		List<Duration> abstained = this.ballot.votes(Vote.Abstained.class).map(Vote.Abstained::remaining).toList();
		if (blocks(failed.size())) {
			throw unreachable(failed);
		}
		OptionalLong position = position(micros);
		if (blocks(failed.size() + abstained.size())) {
			Duration remaining = remaining(failed.size(), abstained);
			return new Refused(new Holder("nobody", Duration.ZERO, remaining), position, micros, null,
					notReady(remaining));
		}
		long apart = this.ballot.votes(Vote.TooHigh.class).count()
				+ this.ballot.votes(Vote.TooLow.class).filter((vote) -> vote.least() > furthest).count();
		if (blocks((int) apart)) {
			throw apart((int) apart);
		}
		return new Refused(holder(), position, micros);
	}

	/** Whether so many servers leave no majority to the others. */
	private boolean blocks(int servers) {
		return servers > this.ballot.servers() - this.ballot.majority();
	}

	private LockBackendException unreachable(List<Vote.Failed> failed) {
		// That there was no reply says less than any other failure.
		LockBackendException first = failed.stream()
			.map(Vote.Failed::cause)
			.filter((cause) -> cause.reason() != Reason.TIMEOUT)
			.findFirst()
			.orElse(failed.get(0).cause());
		return new LockBackendException(
				this.command.name(), first.reason(), String.format(Locale.ROOT, "%d of %d servers of the quorum: %s",
						failed.size(), this.ballot.servers(), first.detail()),
				failed.stream().anyMatch((vote) -> vote.cause().mayHaveRun()), first);
	}

	private LockBackendException apart(int servers) {
		return new LockBackendException(this.command.name(), Reason.CLOCKS_APART,
				String.format(Locale.ROOT, "%d of %d servers of the quorum differ from the others by more than half of",
						servers, this.ballot.servers()) + " distributed-lock.quorum.longest-lease",
				null);
	}

	/**
	 * The position that the first of the servers gave, which holds good for the others.
	 */
	private OptionalLong position(long micros) {
		OptionalLong given = answers().flatMapToLong((answer) -> answer.position().stream()).min();
		return (given.isPresent() || !this.command.waits()) ? given : OptionalLong.of(micros);
	}

	private Stream<Refused> answers() {
		return this.ballot.votes(Vote.Refused.class).map(Vote.Refused::answer);
	}

	/** How long it takes until enough servers vote that have lost their memory. */
	private Duration remaining(int failed, List<Duration> abstained) {
		int missing = this.ballot.majority() - (this.ballot.servers() - failed - abstained.size());
		return abstained.stream().sorted().toList().get(Math.max(0, missing - 1));
	}

	private LockBackendException notReady(Duration remaining) {
		Instant until = Instant.now().plus(remaining).plusSeconds(1).truncatedTo(ChronoUnit.SECONDS);
		return new LockBackendException(this.command.name(), Reason.LOADING,
				"servers of the quorum have no memory of locks; the quorum is ready at " + until
						+ ", when the locks that they may have forgotten have run out"
						+ " (distributed-lock.quorum.longest-lease)",
				null);
	}

	/**
	 * Who has a majority; or nobody, and those who got parts of it try again at random.
	 */
	private Holder holder() {
		for (Holder candidate : answers().map(Refused::holder).toList()) {
			List<Duration> leases = answers().map(Refused::holder)
				.filter((holder) -> holder.label().equals(candidate.label()))
				.map(Holder::remainingLease)
				.sorted()
				.toList();
			if (leases.size() >= this.ballot.majority()) {
				return new Holder(candidate.label(), candidate.heldFor(), leases.get(leases.size() / 2));
			}
		}
		Holder rival = answers().map(Refused::holder)
			.max(Comparator.comparing(Holder::heldFor))
			.orElse(new Holder("nobody", Duration.ZERO, Duration.ZERO));
		return new Holder(rival.label(), rival.heldFor(), pause(rival.heldFor()));
	}

	/**
	 * The longer a rival has had its part, the likelier it is that it has a majority with
	 * servers that do not answer here.
	 */
	private Duration pause(Duration heldFor) {
		long spread = 3 * this.elapsedNanos + LEAST_SPREAD_NANOS + Math.min(heldFor.toNanos(), LONGEST_PAUSE.toNanos());
		Duration pause = Duration.ofNanos(ThreadLocalRandom.current().nextLong(spread));
		return (pause.compareTo(LONGEST_PAUSE) < 0) ? pause : LONGEST_PAUSE;
	}

}
