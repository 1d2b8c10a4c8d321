package io.lockstarter.redis.quorum;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Count of the votes on one proposal. Not thread-safe.
 */
public final class Ballot {

	private final int majority;

	private final @Nullable Vote[] votes;

	/** The unresponsive servers, whose votes are not waited for. */
	private final BitSet unresponsive;

	/**
	 * Creates an empty ballot.
	 * @param servers the number of servers
	 * @param unresponsive the servers that have not replied lately. If the other servers
	 * are no majority, these are waited for as well.
	 */
	public Ballot(int servers, BitSet unresponsive) {
		this.votes = new Vote[servers];
		this.majority = Majority.of(servers);
		this.unresponsive = (servers - unresponsive.cardinality() >= this.majority) ? unresponsive : new BitSet();
	}

	/** Counts the vote of a server, and returns what follows from all votes so far. */
	public Decision count(int server, Vote vote) {
		this.votes[server] = vote;
		if (votes(Vote.Ended.class).findAny().isPresent()) {
			return Decision.ENDED;
		}
		if (elected() != null) {
			return Decision.ELECTED;
		}
		if (votes(Vote.Willing.class).count() >= this.majority) {
			return Decision.PROPOSE_AGAIN;
		}
		return isLost() ? Decision.LOST : Decision.OPEN;
	}

	private boolean isLost() {
		int possible = 0;
		for (int i = 0; i < this.votes.length; i++) {
			Vote vote = this.votes[i];
			if ((vote != null) ? vote instanceof Vote.Willing : !this.unresponsive.get(i)) {
				possible++;
			}
		}
		return possible < this.majority;
	}

	/** Returns the grant that a majority agrees on, or {@code null}. */
	public Vote.@Nullable Granted elected() {
		List<Vote.Granted> grants = votes(Vote.Granted.class).toList();
		for (Vote.Granted grant : grants) {
			List<Vote.Granted> same = grants.stream().filter((other) -> other.base() == grant.base()).toList();
			if (same.size() >= this.majority) {
				return new Vote.Granted(grant.base(), same.stream().anyMatch(Vote.Granted::contended));
			}
		}
		return null;
	}

	/** Returns the number of votes that form a majority. */
	public int majority() {
		return this.majority;
	}

	/** Returns the number of servers. */
	int servers() {
		return this.votes.length;
	}

	/** Returns the votes of a kind that were counted so far. */
	public <V extends Vote> Stream<V> votes(Class<V> kind) {
		return Arrays.stream(this.votes).filter(Objects::nonNull).filter(kind::isInstance).map(kind::cast);
	}

	/**
	 * Consequence of the votes.
	 */
	public enum Decision {

		/** More votes are necessary. */
		OPEN,
		/** A majority has granted the lock with one base. */
		ELECTED,
		/** A majority would grant the lock with another base. */
		PROPOSE_AGAIN,
		/** The tenure was ended. */
		ENDED,
		/** A majority has become impossible. */
		LOST

	}

}
