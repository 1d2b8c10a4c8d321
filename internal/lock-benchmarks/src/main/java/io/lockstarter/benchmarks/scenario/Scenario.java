package io.lockstarter.benchmarks.scenario;

import io.lockstarter.benchmarks.Options;
import io.lockstarter.benchmarks.report.Outcome;

/**
 * Scenario in which contenders are measured.
 */
public interface Scenario {

	/**
	 * Returns the scenario's name in options.
	 * @return the name
	 */
	String id();

	/**
	 * Runs the scenario.
	 * @param options the options
	 * @return the outcome
	 */
	Outcome run(Options options);

}
