package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.Arrays;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;

/**
 * Method that is called instead of one whose lock was not acquired in time.
 *
 * @param method the method
 * @param takesFailure whether the exception is passed after the arguments
 */
record Fallback(Method method, boolean takesFailure) {

	@Nullable Object invoke(@Nullable Object target, @Nullable Object[] arguments, LockAcquisitionTimeoutException failure)
			throws Throwable {
		return AopUtils.invokeJoinpointUsingReflection(target, this.method,
				this.takesFailure ? with(failure, arguments) : arguments);
	}

	/**
	 * Adds the exception to the arguments. The continuation of a suspend function stays
	 * the last argument.
	 */
	private @Nullable Object[] with(LockAcquisitionTimeoutException failure, @Nullable Object[] arguments) {
		@Nullable Object[] all = Arrays.copyOf(arguments, arguments.length + 1);
		int position = arguments.length;
		if (SuspendFunctions.isOne(this.method)) {
			all[position] = all[position - 1];
			position--;
		}
		all[position] = failure;
		return all;
	}

}
