package io.lockstarter.testing;

/**
 * Sums over the stress suite. Each test prints the numbers that it adds, and
 * {@code .ci/stress} prints the sums.
 */
public enum StressSummary {

	/** Holds that were checked for exclusion and rising tokens. */
	HOLDS_CHECKED("holds checked"),
	/** Two concurrent valid holders. */
	OVERLAPS("overlaps"),
	/** Granted permits, which also count as holds. */
	PERMITS_GRANTED("permits granted"),
	/** Concurrent valid permits beyond the maximum number. */
	PERMIT_OVERLAPS("permit overlaps"),
	/**
	 * Remains after the end of all holds, such as a permit that cannot be acquired again.
	 */
	LEAKS("leaks"),
	/** Fencing tokens that did not rise. */
	TOKEN_REGRESSIONS("token regressions"),
	/** Locks that were reported lost although they protected their holders throughout. */
	FALSE_LOSSES("false losses"),
	/** Requests that did not complete, long after their wait times. */
	STUCK_WAITERS("stuck waiters"),
	/** Transactions that were committed under fenced locks. */
	FENCED_COMMITS("fenced commits"),
	/** Updates that such transactions overwrote because their locks were lost. */
	LOST_UPDATES("lost updates"),
	/** Injected faults of a server, a network or a JVM that the locks survived. */
	FAULTS_SURVIVED("faults survived"),
	/** Searched states of the protocol. */
	STATES_SEARCHED("states searched"),
	/** Planted mistakes that were detected. */
	MISTAKES_CAUGHT("planted mistakes caught"),
	/** Time limits that were exceeded once and met at the second attempt. */
	FLAKES("flakes");

	private final String text;

	StressSummary(String text) {
		this.text = text;
	}

	/**
	 * Adds to the sum.
	 * @param count the number to add
	 */
	public void add(long count) {
		System.out.printf("[stress] %s: %d%n", this.text, count);
	}

}
