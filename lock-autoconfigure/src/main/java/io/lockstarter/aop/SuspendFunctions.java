package io.lockstarter.aop;

import java.lang.reflect.Method;

/**
 * Kotlin's suspend functions as Java sees them: methods whose last parameter is the
 * continuation, which nobody wrote.
 */
final class SuspendFunctions {

	private static final String CONTINUATION = "kotlin.coroutines.Continuation";

	private SuspendFunctions() {
	}

	static boolean isOne(Method method) {
		Class<?>[] parameters = method.getParameterTypes();
		return parameters.length > 0 && parameters[parameters.length - 1].getName().equals(CONTINUATION);
	}

	/** The number of parameters that somebody wrote. */
	static int parameterCount(Method method) {
		return isOne(method) ? method.getParameterCount() - 1 : method.getParameterCount();
	}

}
