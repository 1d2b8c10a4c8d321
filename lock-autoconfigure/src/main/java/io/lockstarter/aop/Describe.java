package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Descriptions of methods for messages.
 */
final class Describe {

	private Describe() {
	}

	static String method(Method method) {
		return "%s.%s(%s)".formatted(method.getDeclaringClass().getName(), KotlinFunctions.nameOf(method),
				parameters(method));
	}

	static String parameters(Method method) {
		return Arrays.stream(method.getParameterTypes())
			.limit(SuspendFunctions.parameterCount(method))
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", "));
	}

}
