package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

import io.lockstarter.core.LockRegistry;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Interceptor that runs an annotated method under its lock.
 */
final class LockInterceptor implements MethodInterceptor {

	private final LockAttributeSource attributes;

	private final LockExpressionEvaluator expressions;

	private final Supplier<LockRegistry> registry;

	private volatile @Nullable LockRegistry known;

	LockInterceptor(LockAttributeSource attributes, LockExpressionEvaluator expressions,
			Supplier<LockRegistry> registry) {
		this.attributes = attributes;
		this.expressions = expressions;
		this.registry = registry;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		LockAttribute attribute = attributeOf(invocation);
		if (attribute == null) {
			return invocation.proceed();
		}
		LockExpressionEvaluator.Call call = new LockExpressionEvaluator.Call(attribute.method(), invocation.getThis(),
				arguments(attribute.method(), invocation));
		if (!this.expressions.isNeeded(attribute, call)) {
			return invocation.proceed();
		}
		List<String> names = this.expressions.lockNames(attribute, call);
		int permits = this.expressions.permits(attribute, names, call);
		return attribute.operation().invoke(new LockCall(attribute, names, permits, invocation, registry()));
	}

	/**
	 * Returns the registry. Several callers may resolve it at the same time, so that none
	 * blocks another.
	 */
	private LockRegistry registry() {
		LockRegistry current = this.known;
		if (current == null) {
			current = this.registry.get();
			this.known = current;
		}
		return current;
	}

	private static List<@Nullable Object> arguments(Method method, MethodInvocation invocation) {
		return Arrays.asList(invocation.getArguments()).subList(0, SuspendFunctions.parameterCount(method));
	}

	private @Nullable LockAttribute attributeOf(MethodInvocation invocation) {
		Object target = invocation.getThis();
		// A target that is itself a proxy is not unwrapped, because the class behind it
		// was not checked at startup.
		Class<?> targetClass = (target != null) ? target.getClass() : invocation.getMethod().getDeclaringClass();
		return this.attributes.find(invocation.getMethod(), targetClass);
	}

}
