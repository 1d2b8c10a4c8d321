package io.lockstarter.aop;

import java.lang.reflect.Method;

/**
 * Check whether calls of annotated methods are intercepted.
 */
@FunctionalInterface
interface InterceptionCheck {

	/**
	 * Rejects a method that would run without its lock.
	 * @param method the method that runs
	 * @param targetClass the class of the bean
	 * @throws InvalidLockAnnotationException if calls of the method are not intercepted
	 */
	void require(Method method, Class<?> targetClass);

}
