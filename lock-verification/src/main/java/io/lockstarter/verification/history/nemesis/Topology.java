package io.lockstarter.verification.history.nemesis;

import io.lockstarter.verification.history.Claim;

/**
 * What keeps the locks during a round.
 */
public enum Topology {

	/** One Redis that writes everything down before it answers. */
	DURABLE("one Redis, append-only file, fsync always", Claim.EXCLUSION),

	/** One Redis that comes back empty. */
	FORGETFUL("one Redis without persistence", Claim.FENCING),

	/** The same, with a clock that jumps, and somebody who takes locks away. */
	UNRELIABLE("one Redis without persistence, whose clock is set forward and whose locks are taken away",
			Claim.FENCING),

	/** A master with a replica that misses writes, and is promoted. */
	REPLICATED("a master and an asynchronous replica", Claim.FENCING);

	private final String text;

	private final Claim claim;

	Topology(String text, Claim claim) {
		this.text = text;
		this.claim = claim;
	}

	/**
	 * Returns what the locks promise there.
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
