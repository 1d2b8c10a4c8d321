package io.lockstarter.aop;

import java.lang.reflect.Method;

/**
 * Whether calls of annotated methods come to their locks.
 */
@FunctionalInterface
interface LockReach {

	/**
	 * Refuse a method that would run without its lock.
	 * @param method the method that runs
	 * @param targetClass the class of the bean
	 * @throws InvalidLockAnnotationException if its calls do not come to the lock
	 */
	void require(Method method, Class<?> targetClass);

}
