package io.lockstarter.aop;

import org.jspecify.annotations.Nullable;

/**
 * How a method of some return type runs under its lock until its result is there.
 * Immutable.
 */
interface LockOperation {

	/**
	 * Run one call under its lock.
	 * @return what the caller gets
	 */
	@Nullable Object invoke(LockCall call) throws Throwable;

}
