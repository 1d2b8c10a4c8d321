package io.lockstarter.aop;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import io.lockstarter.annotation.DistributedLock;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A method that is to be locked in whatever application. The only place that tells which
 * those are, and which of several annotations is in force.
 *
 * @param method the method that runs, which is none of the compiler's own
 * @param annotation the annotation in force
 */
record AnnotatedMethod(Method method, MergedAnnotation<DistributedLock> annotation) {

	private static final int VISIBLE = Modifier.PUBLIC | Modifier.PROTECTED;

	/**
	 * Find the method that runs when a method is called.
	 * @param called the method as it is called, perhaps of an interface, or a bridge
	 * @param targetClass the class of the bean
	 * @return the method, or empty if it runs without a lock
	 */
	static Optional<AnnotatedMethod> find(Method called, Class<?> targetClass) {
		if (isOfCompiler(called)) {
			return Optional.empty();
		}
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		Method method = AopUtils.getMostSpecificMethod(called, userClass);
		return onMethod(method).or(() -> onImplemented(method, userClass))
			.or(() -> onType(method, userClass))
			.map((annotation) -> new AnnotatedMethod(method, annotation));
	}

	/**
	 * Find all methods of a class, those that it inherits among them.
	 * @param targetClass the class of a bean
	 */
	static List<AnnotatedMethod> all(Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		if (!isMentioned(userClass)) {
			return List.of();
		}
		// A bridge may be all that is found of the method that it calls.
		return Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(userClass))
			.filter((method) -> !isOfCompiler(method))
			.map((method) -> AopUtils.getMostSpecificMethod(method, userClass))
			.distinct()
			.flatMap((method) -> find(method, userClass).stream())
			.toList();
	}

	/**
	 * Return whether the annotation is anywhere in the hierarchy of a class, which for
	 * most beans is all that need be known.
	 */
	private static boolean isMentioned(@Nullable Class<?> type) {
		return type != null && (isMentionedIn(type) || isMentioned(type.getSuperclass())
				|| Arrays.stream(type.getInterfaces()).anyMatch(AnnotatedMethod::isMentioned));
	}

	private static boolean isMentionedIn(Class<?> type) {
		return AnnotationUtils.isCandidateClass(type, DistributedLock.class) && (isOn(type)
				|| Arrays.stream(ReflectionUtils.getDeclaredMethods(type)).anyMatch(AnnotatedMethod::isOn));
	}

	private static boolean isOn(AnnotatedElement element) {
		return MergedAnnotations.from(element).isPresent(DistributedLock.class);
	}

	/** Such as the body of a suspend function, which is annotated as well. */
	private static boolean isOfCompiler(Method method) {
		return method.isSynthetic() && !method.isBridge();
	}

	private static Optional<MergedAnnotation<DistributedLock>> onMethod(Method method) {
		return nearest(MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY));
	}

	/**
	 * Look at the methods of interfaces that a subclass implements with an inherited
	 * method, whose own class knows nothing of them.
	 */
	private static Optional<MergedAnnotation<DistributedLock>> onImplemented(Method method, Class<?> targetClass) {
		if (!Modifier.isPublic(method.getModifiers()) || method.getDeclaringClass() == Object.class) {
			return Optional.empty();
		}
		return Arrays.stream(ClassUtils.getAllInterfacesForClass(targetClass))
			.filter((type) -> !type.isAssignableFrom(method.getDeclaringClass()))
			.flatMap((type) -> Arrays.stream(type.getMethods()))
			.filter((declared) -> isImplemented(declared, method, targetClass) && onMethod(declared).isPresent())
			.reduce(AnnotatedMethod::nearer)
			.flatMap(AnnotatedMethod::onMethod);
	}

	private static boolean isImplemented(Method declared, Method method, Class<?> targetClass) {
		return declared.getName().equals(method.getName()) && declared.getParameterCount() == method.getParameterCount()
				&& !declared.isSynthetic() && !Modifier.isStatic(declared.getModifiers())
				&& AopUtils.getMostSpecificMethod(declared, targetClass).equals(method);
	}

	/** Prefer the method that overrides the other one. */
	private static Method nearer(Method one, Method other) {
		return one.getDeclaringClass().isAssignableFrom(other.getDeclaringClass()) ? other : one;
	}

	private static Optional<MergedAnnotation<DistributedLock>> onType(Method method, Class<?> targetClass) {
		int modifiers = method.getModifiers();
		if (ReflectionUtils.isObjectMethod(method) || Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers)) {
			return Optional.empty();
		}
		return nearest(MergedAnnotations.from(targetClass, SearchStrategy.TYPE_HIERARCHY))
			.filter((annotation) -> !(annotation.getSource() instanceof Class<?> type)
					|| type.isAssignableFrom(method.getDeclaringClass()) || isMember(method, type));
	}

	/**
	 * Return whether a type can see and override a method of its hierarchy: not one that
	 * is visible only in another package.
	 */
	static boolean isMember(Method method, Class<?> type) {
		Class<?> declaring = method.getDeclaringClass();
		return (method.getModifiers() & VISIBLE) != 0 || (declaring.getPackageName().equals(type.getPackageName())
				&& declaring.getClassLoader() == type.getClassLoader());
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
