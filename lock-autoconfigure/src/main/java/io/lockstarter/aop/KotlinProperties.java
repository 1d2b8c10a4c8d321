package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import kotlin.jvm.JvmClassMappingKt;
import kotlin.reflect.KProperty1;
import kotlin.reflect.KVisibility;
import kotlin.reflect.full.KClasses;
import kotlin.reflect.jvm.KCallablesJvm;
import kotlin.reflect.jvm.ReflectJvmMapping;
import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.expression.AccessException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypedValue;
import org.springframework.util.ClassUtils;
import org.springframework.util.ConcurrentReferenceHashMap;

/**
 * Accessor of Kotlin properties that Java cannot read under their names, because they are
 * internal, have the type of a value class, or are members of one. Loaded only if {@code
 * kotlin-reflect} is present.
 */
final class KotlinProperties implements PropertyAccessor {

	private static final Map<Name, Optional<KProperty1<?, ?>>> HIDDEN = new ConcurrentReferenceHashMap<>();

	/** Returns whether an expression can read a property of a class. */
	static boolean exists(Class<?> type, String name) {
		return find(new Name(type, name)).isPresent();
	}

	@Override
	public Class<?> @Nullable [] getSpecificTargetClasses() {
		return null;
	}

	@Override
	public boolean canRead(EvaluationContext context, @Nullable Object target, String name) {
		return target != null && hidden(target, name).isPresent();
	}

	@Override
	public TypedValue read(EvaluationContext context, @Nullable Object target, String name) throws AccessException {
		try {
			Object value = hidden(Objects.requireNonNull(target), name).orElseThrow().getGetter().call(target);
			return new TypedValue((value != null) ? KotlinValues.simplify(value) : null);
		}
		catch (Exception ex) {
			throw new AccessException("The property '" + name + "' cannot be read", ex);
		}
	}

	@Override
	public boolean canWrite(EvaluationContext context, @Nullable Object target, String name) {
		return false;
	}

	@Override
	public void write(EvaluationContext context, @Nullable Object target, String name, @Nullable Object value) {
		throw new UnsupportedOperationException("Expressions of locks cannot write properties");
	}

	private static Optional<KProperty1<?, ?>> hidden(Object target, String name) {
		return HIDDEN.computeIfAbsent(new Name(ClassUtils.getUserClass(target), name),
				(property) -> find(property).filter(KotlinProperties::isHidden));
	}

	private static Optional<KProperty1<?, ?>> find(Name name) {
		if (!KotlinDetector.isKotlinType(name.type())) {
			return Optional.empty();
		}
		try {
			return KClasses.getMemberProperties(JvmClassMappingKt.getKotlinClass(name.type()))
				.stream()
				.filter((property) -> property.getName().equals(name.property())
						&& property.getVisibility() != KVisibility.PRIVATE
						&& property.getVisibility() != KVisibility.PROTECTED)
				.findFirst()
				.map(KotlinProperties::accessible);
		}
		catch (UnsupportedOperationException ex) {
			// The compiler generated the class, so it has no properties.
			return Optional.empty();
		}
	}

	private static KProperty1<?, ?> accessible(KProperty1<?, ?> property) {
		KCallablesJvm.setAccessible(property, true);
		return property;
	}

	private static boolean isHidden(KProperty1<?, ?> property) {
		Method getter = ReflectJvmMapping.getJavaGetter(property);
		return getter == null || Modifier.isStatic(getter.getModifiers()) || getter.getName().indexOf('-') > 0
				|| getter.getName().indexOf('$') > 0;
	}

	/**
	 * Name of a property with its class.
	 *
	 * @param type the class
	 * @param property the name of the property
	 */
	private record Name(Class<?> type, String property) {
	}

}
