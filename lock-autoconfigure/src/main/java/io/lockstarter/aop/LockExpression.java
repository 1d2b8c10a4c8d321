package io.lockstarter.aop;

import java.util.Map;

import org.springframework.expression.Expression;

/**
 * A parsed expression with the variables it may use.
 *
 * @param expression the expression
 * @param parameters the position of each parameter, by all its names
 */
record LockExpression(Expression expression, Map<String, Integer> parameters) {

	String text() {
		return this.expression.getExpressionString();
	}

}
