package io.lockstarter.verification.history.nemesis;

import io.lockstarter.verification.history.Claim;

/**
 * Topology of Redis in a round.
 */
public enum Topology {

	/** One Redis that persists every write before it replies. */
	DURABLE("one Redis, append-only file, fsync always", Claim.EXCLUSION),

	/** One Redis that restarts without data. */
	FORGETFUL("one Redis without persistence", Claim.FENCING),

	/**
	 * One Redis without persistence, with a clock that jumps, and with force-released
	 * locks.
	 */
	UNRELIABLE("one Redis without persistence, whose clock is set forward and whose locks are force-released",
			Claim.FENCING),

	/** A master with a replica that misses writes and is promoted. */
	REPLICATED("a master and an asynchronous replica", Claim.FENCING);

	private final String text;

	private final Claim claim;

	Topology(String text, Claim claim) {
		this.text = text;
		this.claim = claim;
	}

	/**
	 * Returns the guarantees of the locks in this topology.
	 * @return the claim
	 */
	public Claim claim() {
		return this.claim;
	}

	@Override
	public String toString() {
		return this.text;
	}

}
