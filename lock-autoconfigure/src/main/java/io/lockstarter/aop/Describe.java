package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Methods as messages name them.
 */
final class Describe {

	private Describe() {
	}

	static String method(Method method) {
		String parameters = Arrays.stream(method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", "));
		return "%s.%s(%s)".formatted(method.getDeclaringClass().getName(), method.getName(), parameters);
	}

}
