package io.lockstarter.benchmarks.start;

/**
 * What an application does in a call.
 */
interface Work {

	/** Does it. */
	void call();

}
