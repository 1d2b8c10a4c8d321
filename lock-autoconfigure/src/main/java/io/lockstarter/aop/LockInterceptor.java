package io.lockstarter.aop;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Supplier;

import io.lockstarter.annotation.OnFailure;
import io.lockstarter.core.LockAcquisitionTimeoutException;
import io.lockstarter.core.LockContext;
import io.lockstarter.core.LockHandle;
import io.lockstarter.core.LockInterruptedException;
import io.lockstarter.core.LockRegistry;
import io.lockstarter.core.LockRequest;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;

/**
 * Runs an annotated method under its lock.
 */
final class LockInterceptor implements MethodInterceptor {

	private final LockAttributeSource attributes;

	private final LockKeyEvaluator keys;

	private final Supplier<LockRegistry> registry;

	LockInterceptor(LockAttributeSource attributes, LockKeyEvaluator keys, Supplier<LockRegistry> registry) {
		this.attributes = attributes;
		this.keys = keys;
		this.registry = registry;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		LockAttribute attribute = attributeOf(invocation);
		if (attribute == null) {
			return invocation.proceed();
		}
		String name = this.keys.lockName(attribute, invocation.getThis(), invocation.getArguments());
		LockHandle lock = acquire(attribute, attribute.request(name));
		return (lock != null) ? proceedUnder(lock, invocation) : skipped(attribute.method().getReturnType());
	}

	private @Nullable LockAttribute attributeOf(MethodInvocation invocation) {
		Object target = invocation.getThis();
		Class<?> targetClass = (target != null) ? AopUtils.getTargetClass(target)
				: invocation.getMethod().getDeclaringClass();
		return this.attributes.find(invocation.getMethod(), targetClass);
	}

	/**
	 * Return the lock, or {@code null} if the call is to be skipped. Only what
	 * <em>this</em> acquisition throws may lead to that: the method may run into a lock
	 * of its own that is not free.
	 */
	private @Nullable LockHandle acquire(LockAttribute attribute, LockRequest request) throws InterruptedException {
		try {
			return this.registry.get().acquire(request);
		}
		catch (LockAcquisitionTimeoutException ex) {
			if (attribute.onFailure() == OnFailure.SKIP) {
				return null;
			}
			throw ex;
		}
		catch (InterruptedException ex) {
			if (attribute.interruptible()) {
				throw ex;
			}
			Thread.currentThread().interrupt();
			throw new LockInterruptedException(request.name(), ex);
		}
	}

	/**
	 * What the method throws stays primary, with a failed release suppressed in it; after
	 * a normal return the failed release, such as a lost lock, is what the caller gets.
	 */
	private static @Nullable Object proceedUnder(LockHandle lock, MethodInvocation invocation) throws Throwable {
		try (lock; LockContext.Scope scope = LockContext.enter(lock)) {
			return invocation.proceed();
		}
	}

	private static @Nullable Object skipped(Class<?> type) {
		if (type == Optional.class) {
			return Optional.empty();
		}
		if (type == OptionalInt.class) {
			return OptionalInt.empty();
		}
		if (type == OptionalLong.class) {
			return OptionalLong.empty();
		}
		return (type == OptionalDouble.class) ? OptionalDouble.empty() : null;
	}

}
