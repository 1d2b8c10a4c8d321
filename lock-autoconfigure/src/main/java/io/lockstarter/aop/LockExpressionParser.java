package io.lockstarter.aop;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * Parser of an expression, which rejects unknown names.
 */
final class LockExpressionParser {

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	private static final Set<String> ROOT_PROPERTIES = Set.of("method", "target", "args");

	private static final Set<String> ROOT_VARIABLES = Set.of("#root", "#this");

	private final Map<String, Integer> parameters = new HashMap<>();

	private final boolean named;

	private final String attribute;

	private final List<@Nullable Class<?>> valueClasses;

	/**
	 * Creates a parser for one method.
	 * @param attribute the annotation's attribute that contains the expression
	 * @param count the number of parameters
	 * @param names the names of the parameters, if known; further names are ignored
	 * @param valueClasses Kotlin's value classes of the parameters, empty if there are
	 * none
	 */
	LockExpressionParser(String attribute, int count, @Nullable String @Nullable [] names,
			List<@Nullable Class<?>> valueClasses) {
		this.attribute = attribute;
		this.named = names != null;
		this.valueClasses = valueClasses;
		for (int i = 0; i < count; i++) {
			this.parameters.put("p" + i, i);
			this.parameters.put("a" + i, i);
		}
		for (int i = 0; names != null && i < Math.min(count, names.length); i++) {
			if (names[i] != null) {
				this.parameters.put(names[i], i);
			}
		}
	}

	/**
	 * Parses an expression.
	 * @throws org.springframework.expression.ParseException if it is not a SpEL
	 * expression
	 * @throws UnknownNameException if it contains an unknown name
	 */
	LockExpression parse(String text) {
		SpelExpression expression = PARSER.parseRaw(text);
		checkVariables(expression.getAST());
		checkRootProperties(expression.getAST());
		Map<Integer, Class<?>> boxed = new HashMap<>();
		collectBoxed(expression.getAST(), boxed);
		return new LockExpression(expression, Map.copyOf(this.parameters), Map.copyOf(boxed));
	}

	/**
	 * Collects arguments that have to be boxed in their value classes: those of Kotlin's
	 * own classes, whose text or number differs, and others if one of their properties is
	 * read.
	 */
	private void collectBoxed(SpelNode node, Map<Integer, Class<?>> boxed) {
		if (node instanceof VariableReference) {
			box(node, boxed, KotlinValues::isOfKotlin);
		}
		if (node instanceof CompoundExpression && node.getChild(0) instanceof VariableReference
				&& node.getChild(1) instanceof PropertyOrFieldReference property) {
			box(node.getChild(0), boxed, (type) -> KotlinProperties.exists(type, property.getName()));
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			collectBoxed(node.getChild(i), boxed);
		}
	}

	private void box(SpelNode variable, Map<Integer, Class<?>> boxed, Predicate<Class<?>> needed) {
		Integer position = this.parameters.get(variable.toStringAST().substring(1));
		Class<?> type = (position != null && position < this.valueClasses.size()) ? this.valueClasses.get(position)
				: null;
		if (type != null && needed.test(type)) {
			boxed.put(position, type);
		}
	}

	private void checkVariables(SpelNode node) {
		if (node instanceof VariableReference) {
			String variable = node.toStringAST();
			if (!ROOT_VARIABLES.contains(variable) && !this.parameters.containsKey(variable.substring(1))) {
				throw unknownVariable(variable);
			}
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			checkVariables(node.getChild(i));
		}
	}

	/**
	 * Rejects names without a {@code #} that can only refer to the root object. A name
	 * after a dot or inside a selection refers to another object.
	 */
	private void checkRootProperties(SpelNode node) {
		if (node instanceof PropertyOrFieldReference property && !ROOT_PROPERTIES.contains(property.getName())) {
			throw bareName(property.getName());
		}
		if (node instanceof MethodReference || node instanceof Projection || node instanceof Selection) {
			return;
		}
		int children = (node instanceof CompoundExpression) ? 1 : node.getChildCount();
		for (int i = 0; i < children; i++) {
			checkRootProperties(node.getChild(i));
		}
	}

	private UnknownNameException unknownVariable(String variable) {
		if (!this.named && !variable.matches("#[ap]\\d+")) {
			return new UnknownNameException(
					"'%s' is unknown because the parameters' names are not in the class file".formatted(variable),
					"compile with the option -parameters, or write #p0 for the first parameter");
		}
		return new UnknownNameException("'%s' is not a parameter of the method".formatted(variable),
				"use one of %s".formatted(known()));
	}

	private UnknownNameException bareName(String name) {
		String fix = this.parameters.containsKey(name) ? "write #%s for the parameter".formatted(name)
				: "%s %s".formatted(constant(name), known());
		return new UnknownNameException("'%s' is unknown".formatted(name), fix);
	}

	/** Returns the remedy for a constant value. */
	private String constant(String name) {
		return switch (this.attribute) {
			case "permits" -> "write a number, such as \"4\", or an expression that gives one, which may use";
			case "condition" -> "write an expression that is true or false, which may use";
			default -> "write '%s' in quotes for a fixed text, or use one of".formatted(name);
		};
	}

	private String known() {
		String parameters = String.join(", ",
				this.parameters.keySet().stream().sorted().map((name) -> "#" + name).toList());
		return parameters.isEmpty() ? "#root.target, #root.method" : parameters + ", #root.target, #root.method";
	}

	/**
	 * Thrown when an expression contains an unknown name.
	 */
	static final class UnknownNameException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		private final String fix;

		UnknownNameException(String message, String fix) {
			super(message);
			this.fix = fix;
		}

		String fix() {
			return this.fix;
		}

	}

}
