package io.lockstarter.benchmarks.start;

/**
 * What an application does in a call.
 */
interface Work {

	/** Do it. */
	void call();

}
