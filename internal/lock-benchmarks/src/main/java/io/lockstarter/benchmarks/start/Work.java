package io.lockstarter.benchmarks.start;

/**
 * Work of an application in a call.
 */
interface Work {

	/** Does the work. */
	void call();

}
