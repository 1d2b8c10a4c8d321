package io.lockstarter.benchmarks.report;

/**
 * Something that Lock Starter should reach.
 *
 * @param demand what
 * @param measured the figure
 * @param state whether it is reached
 */
public record Target(String demand, double measured, State state) {

	/**
	 * Whether a target is reached.
	 */
	public enum State {

		/** It is. */
		MET("met"),
		/** It is not. */
		NOT_MET("**NOT MET**"),
		/** It was not measured in this run. */
		NOT_MEASURED("not measured");

		private final String text;

		State(String text) {
			this.text = text;
		}

		String text() {
			return this.text;
		}

	}

}
