package io.lockstarter.testing;

/**
 * What the stress suite has checked. Each test prints what it adds, and
 * {@code .ci/stress} prints the sums.
 */
public enum StressSummary {

	/** Holds of which it was checked that they were exclusive and had rising tokens. */
	HOLDS_CHECKED("holds checked"),
	/** Two valid holders at a time. */
	OVERLAPS("overlaps"),
	/** Permits granted, counted among the holds too. */
	PERMITS_GRANTED("permits granted"),
	/** Valid permits at a time beyond their number. */
	PERMIT_OVERLAPS("permit overlaps"),
	/** What was left when all had ended, such as a permit that cannot be taken again. */
	LEAKS("leaks"),
	/** Fencing tokens that did not rise. */
	TOKEN_REGRESSIONS("token regressions"),
	/** Locks told lost that had protected their holders to the end. */
	FALSE_LOSSES("false losses"),
	/** Requests that were not answered, long after their wait times. */
	STUCK_WAITERS("stuck waiters"),
	/** Transactions that were committed under fenced locks. */
	FENCED_COMMITS("fenced commits"),
	/** Updates that they have undone because their locks were lost. */
	LOST_UPDATES("lost updates"),
	/** Faults that were done to a server, a network or a JVM, and survived. */
	FAULTS_SURVIVED("faults survived"),
	/** States of the protocol that were searched. */
	STATES_SEARCHED("states searched"),
	/** Planted mistakes that were caught. */
	MISTAKES_CAUGHT("planted mistakes caught"),
	/** Time limits that were missed once and kept at a second try. */
	FLAKES("flakes");

	private final String text;

	StressSummary(String text) {
		this.text = text;
	}

	/**
	 * Add to the sum.
	 * @param count how many
	 */
	public void add(long count) {
		System.out.printf("[stress] %s: %d%n", this.text, count);
	}

}
