package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * Check for locks that proxies of beans acquire.
 *
 * @param classProxies whether proxies of a class are subclasses, even if interfaces would
 * suffice
 */
record ProxyInterceptionCheck(Predicate<Class<?>> classProxies) implements InterceptionCheck {

	@Override
	public void require(Method method, Class<?> targetClass) {
		String obstacle = obstacle(method, targetClass);
		if (obstacle != null) {
			throw new InvalidLockAnnotationException(method, "",
					"a %s is not called through the bean's proxy and would run without the lock".formatted(obstacle),
					"make it an overridable method of the bean, or remove the annotation", null);
		}
		String callback = ContainerCallbacks.find(method, targetClass);
		if (callback != null) {
			throw ContainerCallbacks.refusal(method, callback);
		}
		if (Modifier.isFinal(targetClass.getModifiers()) && needsSubclass(targetClass)) {
			throw new InvalidLockAnnotationException(method, "",
					"the class %s is final, and no proxy can extend it".formatted(targetClass.getName()),
					"remove 'final' (records are final, and so are Kotlin classes that are not 'open')%s"
						.formatted(hasInterfaces(targetClass)
								? ", or set spring.aop.proxy-target-class=false, and let callers know its interface only"
								: ""),
					null);
		}
	}

	private static @Nullable String obstacle(Method method, Class<?> targetClass) {
		int modifiers = method.getModifiers();
		if (Modifier.isPrivate(modifiers)) {
			return "private method";
		}
		if (Modifier.isStatic(modifiers)) {
			return "static method";
		}
		if (Modifier.isFinal(modifiers) && !Proxy.isProxyClass(targetClass)) {
			return "final method";
		}
		return AnnotatedMethod.isMember(method, targetClass) ? null : "method that only another package sees";
	}

	private boolean needsSubclass(Class<?> targetClass) {
		if (Proxy.isProxyClass(targetClass) || ClassUtils.isLambdaClass(targetClass)) {
			return false;
		}
		return !hasInterfaces(targetClass) || this.classProxies.test(targetClass);
	}

	private static boolean hasInterfaces(Class<?> targetClass) {
		return ClassUtils.getAllInterfacesForClass(targetClass).length > 0;
	}

}
