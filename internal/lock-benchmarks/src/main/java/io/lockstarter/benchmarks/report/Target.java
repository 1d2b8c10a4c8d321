package io.lockstarter.benchmarks.report;

/**
 * Target for Lock Starter.
 *
 * @param demand the description of the target
 * @param measured the figure
 * @param state the state of the target
 */
public record Target(String demand, double measured, State state) {

	/**
	 * State of a target.
	 */
	public enum State {

		/** The target is met. */
		MET("met"),
		/** The target is not met. */
		NOT_MET("**NOT MET**"),
		/** The figure was not measured in this run. */
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
