package io.lockstarter.benchmarks;

/**
 * Form of a run, which determines its thoroughness.
 */
public enum Form {

	/** The scenarios and contenders that matter most, in short rounds. */
	SHORT,
	/** All scenarios with all contenders, in longer rounds. */
	FULL;

	/**
	 * Returns the value for this form.
	 * @param <T> the type of the value
	 * @param ifShort the value for the short form
	 * @param ifFull the value for the full form
	 * @return one of the two
	 */
	public <T> T pick(T ifShort, T ifFull) {
		return (this == SHORT) ? ifShort : ifFull;
	}

}
