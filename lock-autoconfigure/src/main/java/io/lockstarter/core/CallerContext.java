package io.lockstarter.core;

import java.util.concurrent.Executor;

/**
 * Propagation of thread-bound state, such as thread-locals, from the thread that requests
 * a lock without waiting to the thread that completes the request. Implementations must
 * be thread-safe.
 */
@FunctionalInterface
public interface CallerContext {

	/** Propagates nothing. */
	CallerContext NONE = () -> Runnable::run;

	/**
	 * Captures the state of the calling thread.
	 * @return an executor that runs a task on its calling thread, with the captured state
	 */
	Executor capture();

}
