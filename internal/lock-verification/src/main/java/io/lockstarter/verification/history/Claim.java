package io.lockstarter.verification.history;

/**
 * Guarantees that apply to a run, depending on the durability of its server.
 */
public enum Claim {

	/** Guarantees of a server that keeps every acknowledged write. */
	EXCLUSION("no two holders at a time, rising tokens, losses reported in time"),

	/** Guarantees of a server that may lose acknowledged writes. */
	FENCING("tokens identify the stale holder, losses reported in time");

	private final String text;

	Claim(String text) {
		this.text = text;
	}

	@Override
	public String toString() {
		return this.text;
	}

}
