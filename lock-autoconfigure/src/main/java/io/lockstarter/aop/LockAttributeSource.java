package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import io.lockstarter.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the attribute of a method, once for each method and class. Thread-safe.
 */
final class LockAttributeSource {

	private final Map<MethodClassKey, Optional<LockAttribute>> attributes = new ConcurrentHashMap<>(256);

	private final LockEnvironment environment;

	LockAttributeSource(LockEnvironment environment) {
		this.environment = environment;
	}

	/**
	 * Return whether a class has annotated methods. All of them are checked, so that none
	 * fails on its first call only.
	 * @throws InvalidLockAnnotationException if one of them can never work
	 */
	boolean hasAttributes(Class<?> targetClass) {
		if (!AnnotationUtils.isCandidateClass(targetClass, DistributedLock.class)) {
			return false;
		}
		boolean found = false;
		for (Method method : ReflectionUtils.getUniqueDeclaredMethods(ClassUtils.getUserClass(targetClass))) {
			found |= !method.isSynthetic() && find(method, targetClass) != null;
		}
		return found;
	}

	/**
	 * Return the attribute of a method.
	 * @param method the method as it is called, perhaps of an interface
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

	/**
	 * Return whether a method is to be locked in whatever application.
	 * @param method the method that runs
	 * @param targetClass the class of the bean
	 */
	static boolean isAnnotated(Method method, Class<?> targetClass) {
		return onMethod(method).or(() -> onType(method, targetClass)).isPresent();
	}

	/**
	 * Return the methods of a class that are to be locked in whatever application.
	 * @param type the class of a bean
	 */
	static List<Method> annotatedMethods(Class<?> type) {
		if (!AnnotationUtils.isCandidateClass(type, DistributedLock.class)) {
			return List.of();
		}
		Class<?> userClass = ClassUtils.getUserClass(type);
		return Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(userClass))
			.filter((method) -> !method.isSynthetic() && isAnnotated(method, userClass))
			.toList();
	}

	private Optional<LockAttribute> resolve(Method method, Class<?> targetClass) {
		if (method.isSynthetic() && !method.isBridge()) {
			// The compiler's own, such as the body of a suspend function, annotated as
			// well.
			return Optional.empty();
		}
		Method specific = AopUtils.getMostSpecificMethod(method, targetClass);
		return onMethod(specific).or(() -> onType(specific, targetClass))
			.map((annotation) -> new LockAnnotationReader(annotation, method, specific, targetClass, this.environment)
				.read());
	}

	private static Optional<MergedAnnotation<DistributedLock>> onMethod(Method method) {
		return nearest(MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY));
	}

	private static Optional<MergedAnnotation<DistributedLock>> onType(Method method, Class<?> targetClass) {
		int modifiers = method.getModifiers();
		if (ReflectionUtils.isObjectMethod(method) || Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers)) {
			return Optional.empty();
		}
		return nearest(MergedAnnotations.from(targetClass, SearchStrategy.TYPE_HIERARCHY));
	}

	/**
	 * Prefer the class over its interfaces, and of two annotations on the same element
	 * the one that is less indirect.
	 */
	private static Optional<MergedAnnotation<DistributedLock>> nearest(MergedAnnotations annotations) {
		return annotations.stream(DistributedLock.class)
			.min(Comparator.<MergedAnnotation<DistributedLock>>comparingInt(MergedAnnotation::getAggregateIndex)
				.thenComparingInt(MergedAnnotation::getDistance));
	}

}
