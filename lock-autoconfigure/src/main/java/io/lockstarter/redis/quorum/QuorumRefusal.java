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
 * Reply to a request without a majority: the holder of the lock, or a pause before the
 * next attempt if no request has a majority.
 */
final class QuorumRefusal {

	/** Maximum pause before the next attempt: 1 s. */
	private static final Duration MAX_PAUSE = Duration.ofSeconds(1);

	/** Minimum range of the random pause: 5 ms. */
	private static final long MIN_SPREAD_NANOS = Duration.ofMillis(5).toNanos();

	private final Ballot ballot;

	private final Acquire command;

	private final long elapsedNanos;

	QuorumRefusal(Ballot ballot, Acquire command, long elapsedNanos) {
		this.ballot = ballot;
		this.command = command;
		this.elapsedNanos = elapsedNanos;
	}

	/**
	 * Returns the reply.
	 * @param micros the time by most servers, in microseconds
	 * @param highest the highest token base that most servers would accept
	 * @throws LockBackendException if the servers are the reason
	 */
	Refused reply(long micros, long highest) {
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
				+ this.ballot.votes(Vote.TooLow.class).filter((vote) -> vote.least() > highest).count();
		if (blocks((int) apart)) {
			throw apart((int) apart);
		}
		return new Refused(holder(), position, micros);
	}

	/** Returns whether the other servers are no majority. */
	private boolean blocks(int servers) {
		return servers > this.ballot.servers() - this.ballot.majority();
	}

	private LockBackendException unreachable(List<Vote.Failed> failed) {
		// A timeout explains less than any other failure.
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
		return new LockBackendException(this.command.name(), Reason.CLOCKS_APART, String.format(Locale.ROOT,
				"%d of %d servers of the quorum differ from the others by more than half of", servers,
				this.ballot.servers())
				+ " distributed-lock.quorum.longest-lease, or of distributed-lock.late-command-retention if that is"
				+ " shorter", null);
	}

	/**
	 * Returns the earliest queue position that a server gave, which is valid on the
	 * others.
	 */
	private OptionalLong position(long micros) {
		OptionalLong given = refusals().flatMapToLong((refusal) -> refusal.position().stream()).min();
		return (given.isPresent() || !this.command.waits()) ? given : OptionalLong.of(micros);
	}

	private Stream<Refused> refusals() {
		return this.ballot.votes(Vote.Refused.class).map(Vote.Refused::reply);
	}

	/** Returns the time until a majority votes. */
	private Duration remaining(int failed, List<Duration> abstained) {
		int missing = this.ballot.majority() - (this.ballot.servers() - failed - abstained.size());
		return abstained.stream().sorted().toList().get(Math.max(0, missing - 1));
	}

	private LockBackendException notReady(Duration remaining) {
		Instant until = Instant.now().plus(remaining).plusSeconds(1).truncatedTo(ChronoUnit.SECONDS);
		return new LockBackendException(this.command.name(), Reason.LOADING,
				"servers of the quorum have lost their data or are new; the quorum is ready at " + until
						+ ", when all locks that they may have lost have expired"
						+ " (distributed-lock.quorum.longest-lease)",
				null);
	}

	/**
	 * Returns the holder that has a majority. Without one, the rivals retry after random
	 * pauses.
	 */
	private Holder holder() {
		for (Holder candidate : refusals().map(Refused::holder).toList()) {
			List<Duration> leases = refusals().map(Refused::holder)
				.filter((holder) -> holder.label().equals(candidate.label()))
				.map(Holder::remainingLease)
				.sorted()
				.toList();
			if (leases.size() >= this.ballot.majority()) {
				return new Holder(candidate.label(), candidate.heldFor(), leases.get(leases.size() / 2));
			}
		}
		Holder rival = refusals().map(Refused::holder)
			.max(Comparator.comparing(Holder::heldFor))
			.orElse(new Holder("nobody", Duration.ZERO, Duration.ZERO));
		return new Holder(rival.label(), rival.heldFor(), pause(rival.heldFor()));
	}

	/**
	 * Returns a random pause. The longer a rival has held some servers, the more likely
	 * it has a majority together with servers that do not reply to this client.
	 */
	private Duration pause(Duration heldFor) {
		long spread = 3 * this.elapsedNanos + MIN_SPREAD_NANOS + Math.min(heldFor.toNanos(), MAX_PAUSE.toNanos());
		Duration pause = Duration.ofNanos(ThreadLocalRandom.current().nextLong(spread));
		return (pause.compareTo(MAX_PAUSE) < 0) ? pause : MAX_PAUSE;
	}

}
