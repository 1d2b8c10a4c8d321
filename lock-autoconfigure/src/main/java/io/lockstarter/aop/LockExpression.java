package io.lockstarter.aop;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * Parsed expression with its variables.
 *
 * @param expression the expression
 * @param parameters the position of each parameter, by all its names
 * @param valueClasses Kotlin's value classes of the arguments that have to be boxed, by
 * position
 */
record LockExpression(Expression expression, Map<String, Integer> parameters, Map<Integer, Class<?>> valueClasses) {

	/** Returns an argument in the form that the expression uses. */
	@Nullable Object argument(int position, List<@Nullable Object> arguments) {
		Object argument = arguments.get(position);
		Class<?> valueClass = this.valueClasses.get(position);
		return (argument != null && valueClass != null) ? KotlinValues.box(valueClass, argument) : argument;
	}

	/** Returns the parameters whose declared types are those of the arguments. */
	Map<String, Integer> declaredParameters() {
		Map<String, Integer> declared = new HashMap<>(this.parameters);
		declared.values().removeAll(this.valueClasses.keySet());
		return declared;
	}

	/** Returns the syntax tree of the expression. */
	Optional<SpelNode> ast() {
		return (this.expression instanceof SpelExpression parsed) ? Optional.of(parsed.getAST()) : Optional.empty();
	}

	/** Returns whether the expression is known to have the same value for every call. */
	boolean isConstant() {
		return this.expression instanceof SpelExpression parsed && isConstant(parsed.getAST());
	}

	private static boolean isConstant(SpelNode node) {
		if (node instanceof Literal) {
			return true;
		}
		if (!(node instanceof Operator) || node.getChildCount() == 0) {
			return false;
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			if (!isConstant(node.getChild(i))) {
				return false;
			}
		}
		return true;
	}

	/**
	 * Returns the value of a constant expression, or {@code null} if it cannot be
	 * evaluated.
	 */
	@Nullable Object constant() {
		try {
			return this.expression.getValue();
		}
		catch (EvaluationException ex) {
			return null;
		}
	}

	String text() {
		return this.expression.getExpressionString();
	}

}
