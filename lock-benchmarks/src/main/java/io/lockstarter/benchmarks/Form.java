package io.lockstarter.benchmarks;

/**
 * How thoroughly to measure.
 */
public enum Form {

	/** The scenarios and contenders that matter most, in short rounds. */
	SHORT,
	/** All scenarios with all contenders, in longer rounds. */
	FULL;

	/**
	 * Return what goes with this form.
	 * @param <T> what it is
	 * @param ifShort the value for the short form
	 * @param ifFull the value for the full form
	 * @return one of the two
	 */
	public <T> T pick(T ifShort, T ifFull) {
		return (this == SHORT) ? ifShort : ifFull;
	}

}
