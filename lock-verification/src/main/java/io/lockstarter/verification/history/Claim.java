package io.lockstarter.verification.history;

/**
 * What is promised under the assumptions that a run keeps.
 */
public enum Claim {

	/** Of a server that keeps what it has acknowledged. */
	EXCLUSION("no two holders at a time, tokens rise, losses are told in time"),

	/** Of a server that may forget what it has acknowledged. */
	FENCING("tokens tell the stale holder apart, losses are told in time");

	private final String text;

	Claim(String text) {
		this.text = text;
	}

	@Override
	public String toString() {
		return this.text;
	}

}
