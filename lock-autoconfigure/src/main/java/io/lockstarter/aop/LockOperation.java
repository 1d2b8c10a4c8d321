package io.lockstarter.aop;

import org.jspecify.annotations.Nullable;

/**
 * Way in which a method runs under its lock until its result is complete, depending on
 * its return type. Immutable.
 */
interface LockOperation {

	/**
	 * Runs one call under its lock.
	 * @return the result for the caller
	 */
	@Nullable Object invoke(LockCall call) throws Throwable;

}
