package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import io.lockstarter.core.LockAcquisitionTimeoutException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Search for the fallback of a method.
 */
final class FallbackFinder {

	private final Method method;

	private final Class<?> targetClass;

	FallbackFinder(Method method, Class<?> targetClass) {
		this.method = method;
		this.targetClass = targetClass;
	}

	/**
	 * Finds the fallback by its name, preferably one that takes the exception.
	 * @throws InvalidLockAnnotationException if there is no such method, or it does not
	 * match
	 */
	Fallback find(String name) {
		List<Method> candidates = candidates(name);
		List<Class<?>> parameters = parameters(this.method);
		Method plain = null;
		for (Method candidate : candidates) {
			List<Class<?>> own = parameters(candidate);
			if (own.equals(parameters)) {
				plain = (plain != null) ? plain : candidate;
			}
			else if (own.equals(withFailure(parameters, own))) {
				return new Fallback(checked(name, candidate), true);
			}
		}
		if (plain == null) {
			throw unknown(name, candidates);
		}
		return new Fallback(checked(name, plain), false);
	}

	private List<Method> candidates(String name) {
		List<Method> candidates = new ArrayList<>();
		ReflectionUtils.doWithMethods(this.targetClass, candidates::add, (candidate) -> isNamed(candidate, name)
				&& !candidate.isBridge() && !candidate.equals(this.method) && canCall(candidate));
		return candidates;
	}

	private static boolean isNamed(Method candidate, String name) {
		return candidate.getName().equals(name)
				|| (candidate.getName().startsWith(name) && KotlinFunctions.nameOf(candidate).equals(name));
	}

	private boolean canCall(Method candidate) {
		return !Modifier.isStatic(this.method.getModifiers()) || Modifier.isStatic(candidate.getModifiers());
	}

	private List<Class<?>> parameters(Method candidate) {
		List<Class<?>> types = new ArrayList<>();
		for (int i = 0; i < candidate.getParameterCount(); i++) {
			types.add(ResolvableType.forMethodParameter(candidate, i, this.targetClass).toClass());
		}
		return types;
	}

	/**
	 * Returns the parameters with the exception, in the type that a candidate declares
	 * for it.
	 */
	private List<Class<?>> withFailure(List<Class<?>> parameters, List<Class<?>> candidate) {
		int position = SuspendFunctions.isOne(this.method) ? parameters.size() - 1 : parameters.size();
		List<Class<?>> extended = new ArrayList<>(parameters);
		if (position < candidate.size()
				&& candidate.get(position).isAssignableFrom(LockAcquisitionTimeoutException.class)) {
			extended.add(position, candidate.get(position));
		}
		return extended;
	}

	private Method checked(String name, Method candidate) {
		Class<?> expected = GenericTypeResolver.resolveReturnType(this.method, this.targetClass);
		Class<?> found = GenericTypeResolver.resolveReturnType(candidate, this.targetClass);
		if (!ClassUtils.isAssignable(expected, found)) {
			throw invalid("fallback = \"%s\" returns %s and not %s".formatted(name, found.getSimpleName(),
					expected.getSimpleName()), "let both return the same type", null);
		}
		return candidate;
	}

	private InvalidLockAnnotationException unknown(String name, List<Method> candidates) {
		String found = candidates.isEmpty() ? "there is no method of that name"
				: "there is only " + candidates.stream().map(Describe::method).collect(Collectors.joining(", "));
		String kind = SuspendFunctions.isOne(this.method) ? "suspend function" : "method";
		return invalid(
				"fallback = \"%s\" is not a %s of %s that can be called with (%s); %s".formatted(name, kind,
						this.targetClass.getName(), Describe.parameters(this.method), found),
				"declare one with the same parameters, optionally followed by a LockAcquisitionTimeoutException"
						+ KotlinFunctions.hint(this.method),
				null);
	}

	private InvalidLockAnnotationException invalid(String problem, String fix, @Nullable Throwable cause) {
		return new InvalidLockAnnotationException(this.method, "fallback", problem, fix, cause);
	}

}
