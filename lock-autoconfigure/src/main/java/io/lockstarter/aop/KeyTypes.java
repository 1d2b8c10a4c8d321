package io.lockstarter.aop;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Declared types of a key's values, as far as parameters and their properties declare
 * them. A value of unknown type is not rejected at startup, but checked on each call.
 *
 * @param method the locked method
 * @param targetClass the class of the bean
 * @param parameters the positions of parameters by name
 */
record KeyTypes(Method method, Class<?> targetClass, Map<String, Integer> parameters) {

	/** Returns the first type of which no value can be a key, if there is one. */
	Optional<Class<?>> refused(SpelNode key) {
		return values(key).flatMap(KeyTypes::elements).filter(KeyTypes::makesNoKey).findFirst();
	}

	private Stream<ResolvableType> values(SpelNode node) {
		if (node instanceof InlineList) {
			return children(node).flatMap(this::values);
		}
		return type(node).stream();
	}

	private Optional<ResolvableType> type(SpelNode node) {
		if (node instanceof VariableReference) {
			return Optional.ofNullable(this.parameters.get(node.toStringAST().substring(1)))
				.map((position) -> ResolvableType.forMethodParameter(this.method, position, this.targetClass));
		}
		if (!(node instanceof CompoundExpression)) {
			return Optional.empty();
		}
		Optional<ResolvableType> type = type(node.getChild(0));
		for (int i = 1; i < node.getChildCount(); i++) {
			SpelNode next = node.getChild(i);
			type = type.flatMap((owner) -> member(owner, next));
		}
		return type;
	}

	private static Optional<ResolvableType> member(ResolvableType owner, SpelNode node) {
		Class<?> type = owner.resolve();
		if (type == null) {
			return Optional.empty();
		}
		if (node instanceof MethodReference call) {
			return (call.getChildCount() == 0) ? result(owner, type, call.getName()) : Optional.empty();
		}
		if (!(node instanceof PropertyOrFieldReference property)) {
			return Optional.empty();
		}
		String name = property.getName();
		return Stream.of("get" + StringUtils.capitalize(name), "is" + StringUtils.capitalize(name), name)
			.flatMap((getter) -> result(owner, type, getter).stream())
			.findFirst()
			.or(() -> field(owner, type, name));
	}

	private static Optional<ResolvableType> result(ResolvableType owner, Class<?> type, String name) {
		Method method = ReflectionUtils.findMethod(type, name);
		return (method != null) ? Optional.of(ResolvableType
			.forType(ResolvableType.forMethodReturnType(method).getType(), owner.as(method.getDeclaringClass())))
				: Optional.empty();
	}

	private static Optional<ResolvableType> field(ResolvableType owner, Class<?> type, String name) {
		Field field = ReflectionUtils.findField(type, name);
		return (field != null && Modifier.isPublic(field.getModifiers()))
				? Optional.of(ResolvableType.forField(field, owner)) : Optional.empty();
	}

	/**
	 * Returns the types of elements, each of which is a key of its own. An array of bytes
	 * has no elements in this sense.
	 */
	private static Stream<Class<?>> elements(ResolvableType type) {
		Class<?> declared = type.resolve();
		if (declared == null) {
			return Stream.empty();
		}
		if (declared.isArray() && !KeyText.isOfBytes(declared)) {
			return elements(type.getComponentType());
		}
		if (Iterable.class.isAssignableFrom(declared) && !ClassUtils.isSimpleValueType(declared)) {
			return Stream.ofNullable(type.as(Iterable.class).resolveGeneric(0));
		}
		return Stream.of(declared);
	}

	/** Returns whether no value of a type can be a key, as far as the type shows. */
	private static boolean makesNoKey(Class<?> type) {
		boolean mayBeOther = type == Object.class || type.isInterface()
				|| (Modifier.isAbstract(type.getModifiers()) && !type.isArray() && !type.isPrimitive());
		return KeyText.isOfBytes(type)
				|| (!mayBeOther && !type.isArray() && !type.isEnum() && !ClassUtils.isSimpleValueType(type));
	}

	private static Stream<SpelNode> children(SpelNode node) {
		return Stream.iterate(0, (i) -> i < node.getChildCount(), (i) -> i + 1).map(node::getChild);
	}

}
