package io.lockstarter.core;

import java.util.concurrent.Executor;

/**
 * Takes along what belongs to a thread that asks for a lock without waiting for it, to
 * wherever that request is answered.
 */
@FunctionalInterface
public interface CallerContext {

	/** Takes nothing along. */
	CallerContext NONE = () -> Runnable::run;

	/**
	 * Take what belongs to the calling thread.
	 * @return runs a task on the thread that hands it over, with what was taken
	 */
	Executor capture();

}
