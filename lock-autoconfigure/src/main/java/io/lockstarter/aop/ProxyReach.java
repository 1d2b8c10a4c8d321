package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * Tells whether calls of a method go through the proxy of its bean.
 */
final class ProxyReach {

	private final Method method;

	private final Class<?> targetClass;

	private final boolean classProxies;

	/**
	 * Prepare for one method.
	 * @param method the method that runs
	 * @param targetClass the class of the bean
	 * @param classProxies whether proxies are subclasses, even where interfaces would do
	 */
	ProxyReach(Method method, Class<?> targetClass, boolean classProxies) {
		this.method = method;
		this.targetClass = targetClass;
		this.classProxies = classProxies;
	}

	/**
	 * Refuse a method that would run without its lock.
	 * @throws InvalidLockAnnotationException if its calls do not go through the proxy
	 */
	void require() {
		String obstacle = obstacle(this.method.getModifiers());
		if (obstacle != null) {
			throw new InvalidLockAnnotationException(
					this.method, "", "a %s method is not called through the bean's proxy and would run without the lock"
						.formatted(obstacle),
					"make it an overridable method of the bean, or take the annotation away", null);
		}
		if (Modifier.isFinal(this.targetClass.getModifiers()) && needsSubclass()) {
			throw new InvalidLockAnnotationException(this.method, "",
					"the class %s is final, and no proxy can extend it".formatted(this.targetClass.getName()),
					"take 'final' away (records are final, and so are Kotlin classes that are not 'open')", null);
		}
	}

	private @Nullable String obstacle(int modifiers) {
		if (Modifier.isPrivate(modifiers)) {
			return "private";
		}
		if (Modifier.isStatic(modifiers)) {
			return "static";
		}
		return (Modifier.isFinal(modifiers) && !Proxy.isProxyClass(this.targetClass)) ? "final" : null;
	}

	private boolean needsSubclass() {
		if (Proxy.isProxyClass(this.targetClass) || ClassUtils.isLambdaClass(this.targetClass)) {
			return false;
		}
		return this.classProxies || ClassUtils.getAllInterfacesForClass(this.targetClass).length == 0;
	}

}
