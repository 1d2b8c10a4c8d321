package io.lockstarter.core;

import java.util.concurrent.Executor;

/**
 * Takes what belongs to a thread, such as its thread-locals, along from where it asks for
 * a lock without waiting to the thread that answers the request. Must be thread-safe.
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
