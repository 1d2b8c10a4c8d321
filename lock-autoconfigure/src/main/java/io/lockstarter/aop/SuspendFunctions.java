package io.lockstarter.aop;

import java.lang.reflect.Method;

/**
 * Suspend functions of Kotlin as Java sees them: methods whose last parameter is the
 * continuation, which is not declared in the source.
 */
final class SuspendFunctions {

	private static final String CONTINUATION = "kotlin.coroutines.Continuation";

	private SuspendFunctions() {
	}

	static boolean isOne(Method method) {
		Class<?>[] parameters = method.getParameterTypes();
		return parameters.length > 0 && parameters[parameters.length - 1].getName().equals(CONTINUATION);
	}

	/** Returns the number of parameters that are declared in the source. */
	static int parameterCount(Method method) {
		return isOne(method) ? method.getParameterCount() - 1 : method.getParameterCount();
	}

}
