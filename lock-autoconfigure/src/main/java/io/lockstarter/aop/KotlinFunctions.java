package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

import kotlin.jvm.JvmClassMappingKt;
import kotlin.reflect.KClass;
import kotlin.reflect.KFunction;
import kotlin.reflect.KParameter;
import kotlin.reflect.jvm.ReflectJvmMapping;
import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;

/**
 * Kotlin functions as declared in their source. The compiler changes the names of
 * functions that are internal or have parameters of value classes, and passes only the
 * content of such values. Without {@code kotlin-reflect}, functions are described as Java
 * sees them.
 */
final class KotlinFunctions {

	private KotlinFunctions() {
	}

	/** Returns the name of a method in its source. */
	static String nameOf(Method method) {
		String name = method.getName();
		boolean mayBeChanged = name.indexOf('-') > 0 || name.indexOf('$') > 0;
		return (mayBeChanged && isKotlin(method)) ? Reflection.nameOf(method) : name;
	}

	/**
	 * Returns the value classes of a method's parameters.
	 * @return a class for each parameter, or {@code null} for a parameter of another
	 * type; empty if they are unknown
	 */
	static List<@Nullable Class<?>> valueClasses(Method method) {
		return isKotlin(method) ? Reflection.valueClasses(method) : List.of();
	}

	/** Returns an additional hint for messages about a missing function. */
	static String hint(Method method) {
		return (KotlinDetector.isKotlinType(method.getDeclaringClass()) && !KotlinDetector.isKotlinReflectPresent())
				? "; if it is internal or takes value classes, add the dependency kotlin-reflect" : "";
	}

	private static boolean isKotlin(Method method) {
		return KotlinDetector.isKotlinReflectPresent() && KotlinDetector.isKotlinType(method.getDeclaringClass());
	}

	/**
	 * Access to {@code kotlin-reflect}. Loaded only if it is present.
	 */
	private static final class Reflection {

		static String nameOf(Method method) {
			KFunction<?> function = function(method);
			return (function != null) ? function.getName() : method.getName();
		}

		static List<@Nullable Class<?>> valueClasses(Method method) {
			KFunction<?> function = function(method);
			List<@Nullable Class<?>> classes = new ArrayList<>();
			if (function != null) {
				function.getParameters()
					.stream()
					.filter((parameter) -> parameter.getKind() != KParameter.Kind.INSTANCE)
					.forEach((parameter) -> classes.add(valueClass(parameter)));
			}
			return classes;
		}

		private static @Nullable Class<?> valueClass(KParameter parameter) {
			return (parameter.getType().getClassifier() instanceof KClass<?> type && type.isValue())
					? JvmClassMappingKt.getJavaClass(type) : null;
		}

		private static @Nullable KFunction<?> function(Method method) {
			try {
				return ReflectJvmMapping.getKotlinFunction(method);
			}
			catch (UnsupportedOperationException ex) {
				// The compiler generated the class, so its method is not a function of
				// the source.
				return null;
			}
		}

	}

}
