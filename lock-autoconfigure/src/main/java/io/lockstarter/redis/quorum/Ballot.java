package io.lockstarter.redis.quorum;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Counts the votes on one proposal. The caller guards it against concurrent use.
 */
public final class Ballot {

	private final int majority;

	private final @Nullable Vote[] votes;

	/** The servers that are not waited for, having kept silent before. */
	private final BitSet silent;

	/**
	 * Begin to count.
	 * @param servers how many servers there are
	 * @param silent those that have not answered lately; if the others are too few to
	 * decide, they are waited for all the same
	 */
	public Ballot(int servers, BitSet silent) {
		this.votes = new Vote[servers];
		this.majority = Majority.of(servers);
		this.silent = (servers - silent.cardinality() >= this.majority) ? silent : new BitSet();
	}

	/** Count a server's vote, and say what follows from all so far. */
	public Decision count(int server, Vote vote) {
		this.votes[server] = vote;
		if (votes(Vote.Ended.class).findAny().isPresent()) {
			return Decision.ENDED;
		}
		if (elected() != null) {
			return Decision.ELECTED;
		}
		if (votes(Vote.class).filter(Vote::isWilling).count() >= this.majority) {
			return Decision.PROPOSE_AGAIN;
		}
		return isLost() ? Decision.LOST : Decision.OPEN;
	}

	private boolean isLost() {
		int possible = 0;
		for (int i = 0; i < this.votes.length; i++) {
			Vote vote = this.votes[i];
			if ((vote != null) ? vote.isWilling() : !this.silent.get(i)) {
				possible++;
			}
		}
		return possible < this.majority;
	}

	/** The grant that a majority agrees on, or {@code null}. */
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

	/** How many votes make a majority. */
	public int majority() {
		return this.majority;
	}

	/** How many servers there are. */
	int servers() {
		return this.votes.length;
	}

	/** The votes of a kind counted so far. */
	public <V extends Vote> Stream<V> votes(Class<V> kind) {
		return Arrays.stream(this.votes).filter(Objects::nonNull).filter(kind::isInstance).map(kind::cast);
	}

	/**
	 * What follows from the votes.
	 */
	public enum Decision {

		/** More votes are to be waited for. */
		OPEN,
		/** A majority has granted the lock with one base. */
		ELECTED,
		/** A majority would grant the lock, with another base. */
		PROPOSE_AGAIN,
		/** The tenure was ended. */
		ENDED,
		/** A majority has become impossible. */
		LOST

	}

}
