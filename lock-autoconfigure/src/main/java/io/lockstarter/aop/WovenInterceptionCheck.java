package io.lockstarter.aop;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;

import io.lockstarter.annotation.DistributedLock;
import org.aspectj.lang.JoinPoint;
import org.aspectj.lang.reflect.MethodSignature;

import org.springframework.util.ReflectionUtils;

/**
 * Check for locks that AspectJ weaves into the methods themselves. The weaver adds a
 * static field to the class for each join point that is passed to an aspect: a method
 * without such a field is not woven.
 */
final class WovenInterceptionCheck implements InterceptionCheck {

	@Override
	public void require(Method method, Class<?> targetClass) {
		// The advice returns the result of the function itself, not a publisher.
		if (SuspendFunctions.isOne(method)) {
			throw new InvalidLockAnnotationException(method, "",
					"a suspend function that AspectJ weaves would return before it has run",
					"use distributed-lock.aspect.mode=proxy, or return a Mono", null);
		}
		if (!isWoven(method) || !(isSeen(method) || isSeen(method.getDeclaringClass()))) {
			throw new InvalidLockAnnotationException(method, "",
					"AspectJ has not woven the method, which would run without the lock",
					"include the package of %s in META-INF/aop.xml, with the aspect %s; write the annotation on the method or its class, since the weaver does not see one that is inherited from an interface"
						.formatted(method.getDeclaringClass().getName(), LockAspect.class.getName()),
					null);
		}
	}

	/**
	 * Returns whether the pointcut of this aspect matches, not only that of another
	 * aspect.
	 */
	private static boolean isSeen(AnnotatedElement element) {
		return Arrays.stream(element.getAnnotations())
			.map(Annotation::annotationType)
			.anyMatch((type) -> type == DistributedLock.class || type.isAnnotationPresent(DistributedLock.class));
	}

	private static boolean isWoven(Method method) {
		return Arrays.stream(method.getDeclaringClass().getDeclaredFields())
			.filter((field) -> field.isSynthetic() && Modifier.isStatic(field.getModifiers())
					&& field.getType() == JoinPoint.StaticPart.class)
			.map(WovenInterceptionCheck::joinPoint)
			.anyMatch((joinPoint) -> isExecution(joinPoint, method));
	}

	private static JoinPoint.StaticPart joinPoint(Field field) {
		ReflectionUtils.makeAccessible(field);
		Object value = ReflectionUtils.getField(field, null);
		if (value instanceof JoinPoint.StaticPart joinPoint) {
			return joinPoint;
		}
		throw new IllegalStateException("No join point in " + field);
	}

	private static boolean isExecution(JoinPoint.StaticPart joinPoint, Method method) {
		return joinPoint.getKind().equals(JoinPoint.METHOD_EXECUTION)
				&& joinPoint.getSignature() instanceof MethodSignature signature
				&& method.equals(signature.getMethod());
	}

}
