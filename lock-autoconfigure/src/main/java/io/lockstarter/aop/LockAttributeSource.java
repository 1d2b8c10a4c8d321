package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodClassKey;
import org.springframework.util.ClassUtils;

/**
 * Source of lock attributes, each of which is read once per method and class.
 * Thread-safe.
 */
final class LockAttributeSource {

	private final Map<MethodClassKey, Optional<LockAttribute>> attributes = new ConcurrentHashMap<>(256);

	/** Number of annotated methods by class. */
	private final Map<Class<?>, Integer> methods = new ConcurrentHashMap<>();

	private final LockEnvironment environment;

	LockAttributeSource(LockEnvironment environment) {
		this.environment = environment;
	}

	/**
	 * Returns whether a class has annotated methods. All of them are validated, so that
	 * none fails on its first call.
	 * @throws InvalidLockAnnotationException if one of them can never work
	 */
	boolean hasAttributes(Class<?> targetClass) {
		List<AnnotatedMethod> methods = AnnotatedMethod.all(targetClass);
		methods.forEach((annotated) -> find(annotated.method(), targetClass));
		if (!methods.isEmpty()) {
			this.methods.put(ClassUtils.getUserClass(targetClass), methods.size());
		}
		return !methods.isEmpty();
	}

	/** Returns the number of annotated methods in the classes that have been checked. */
	int methods() {
		return this.methods.values().stream().mapToInt(Integer::intValue).sum();
	}

	/**
	 * Prepares the fence for all methods that have been read.
	 * @throws RuntimeException if the fence cannot work
	 */
	void prepareFence() {
		for (Optional<LockAttribute> attribute : this.attributes.values()) {
			attribute.ifPresent(LockAttribute::prepareFence);
		}
	}

	/**
	 * Returns the attribute of a method.
	 * @param method the method as it is called, which may be that of an interface
	 * @param targetClass the class of the bean
	 * @return the attribute, or {@code null} if the method runs without a lock
	 * @throws InvalidLockAnnotationException if the annotation can never work
	 */
	@Nullable LockAttribute find(Method method, Class<?> targetClass) {
		MethodClassKey key = new MethodClassKey(method, targetClass);
		Optional<LockAttribute> attribute = this.attributes.get(key);
		if (attribute == null) {
			attribute = resolve(method, ClassUtils.getUserClass(targetClass));
			this.attributes.put(key, attribute);
		}
		return attribute.orElse(null);
	}

	private Optional<LockAttribute> resolve(Method method, Class<?> targetClass) {
		return AnnotatedMethod.find(method, targetClass)
			.map((annotated) -> new LockAnnotationReader(annotated, method, targetClass, this.environment).read());
	}

}
