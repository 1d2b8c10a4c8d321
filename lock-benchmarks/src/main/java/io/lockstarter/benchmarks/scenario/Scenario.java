package io.lockstarter.benchmarks.scenario;

import io.lockstarter.benchmarks.Options;
import io.lockstarter.benchmarks.report.Outcome;

/**
 * Something that contenders are measured at.
 */
public interface Scenario {

	/**
	 * Returns the scenario's name in options.
	 * @return the name
	 */
	String id();

	/**
	 * Measures.
	 * @param options how
	 * @return what was found
	 */
	Outcome run(Options options);

}
