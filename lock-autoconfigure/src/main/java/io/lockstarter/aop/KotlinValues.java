package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.util.ConcurrentReferenceHashMap;
import org.springframework.util.ReflectionUtils;

/**
 * Values of Kotlin's value classes. Methods usually receive only the content of such a
 * value. If its class matters, the content is boxed in an object of that class.
 */
final class KotlinValues {

	/**
	 * Unboxing methods by class. The compiler generates them with names that are not
	 * valid in Java.
	 */
	private static final Map<Class<?>, Optional<Method>> UNBOXING = new ConcurrentReferenceHashMap<>();

	private KotlinValues() {
	}

	/** Returns a value as an object of its class, or as a number that SpEL supports. */
	static Object box(Class<?> type, Object value) {
		return simplify(type.isInstance(value) ? value
				: Objects.requireNonNull(invoke(method(type, "box-impl").orElseThrow(), null, value)));
	}

	/**
	 * Returns an unsigned number as a number that SpEL supports, and other values
	 * unchanged.
	 */
	static Object simplify(Object value) {
		return switch (value.getClass().getName()) {
			case "kotlin.UByte", "kotlin.UShort", "kotlin.UInt" -> Long.valueOf(value.toString());
			case "kotlin.ULong" -> new BigInteger(value.toString());
			default -> value;
		};
	}

	/**
	 * Returns the content of a boxed value of an application's class, and other values
	 * unchanged.
	 */
	static @Nullable Object unbox(@Nullable Object value) {
		if (value == null || !KotlinDetector.isKotlinPresent() || isOfKotlin(value.getClass())) {
			return value;
		}
		Optional<Method> unboxing = UNBOXING.computeIfAbsent(value.getClass(), (type) -> method(type, "unbox-impl"));
		return unboxing.isPresent() ? unbox(invoke(unboxing.get(), value)) : value;
	}

	/** Returns the text of a value of Kotlin's own value classes, such as a duration. */
	static Optional<String> textOf(Object value) {
		return isOfKotlin(value.getClass()) ? method(value.getClass(), "unbox-impl").map((unboxing) -> value.toString())
				: Optional.empty();
	}

	static boolean isOfKotlin(Class<?> type) {
		return type.getName().startsWith("kotlin.");
	}

	private static Optional<Method> method(Class<?> type, String name) {
		return Arrays.stream(ReflectionUtils.getDeclaredMethods(type))
			.filter((method) -> method.getName().equals(name))
			.findFirst();
	}

	private static @Nullable Object invoke(Method method, @Nullable Object target, Object... arguments) {
		ReflectionUtils.makeAccessible(method);
		return ReflectionUtils.invokeMethod(method, target, arguments);
	}

}
