package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.List;

import io.lockstarter.core.LockKeyException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.KotlinDetector;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * Evaluator of an annotation's expressions for one call. Thread-safe.
 */
final class LockExpressionEvaluator {

	/**
	 * Resolvers that all evaluations share, because they cache their results.
	 */
	private final StandardEvaluationContext resolvers = new StandardEvaluationContext();

	private final BeanFactoryResolver beans;

	LockExpressionEvaluator(BeanFactory beanFactory) {
		this.beans = new BeanFactoryResolver(beanFactory);
		if (KotlinDetector.isKotlinReflectPresent()) {
			this.resolvers.addPropertyAccessor(new KotlinProperties());
		}
	}

	/**
	 * Returns whether a call needs its lock.
	 * @throws LockKeyException if the condition is neither true nor false
	 */
	boolean isNeeded(LockAttribute attribute, Call call) {
		LockExpression condition = attribute.condition();
		if (condition == null) {
			return true;
		}
		Object value = evaluate(attribute, "condition", condition, call);
		if (value instanceof Boolean needed) {
			return needed;
		}
		throw failure(attribute, "condition", condition,
				"is %s for this call, and must be true or false".formatted(value), null);
	}

	/**
	 * Returns the names of the locks that a call needs.
	 * @throws LockKeyException if its arguments result in no valid key
	 */
	List<String> lockNames(LockAttribute attribute, Call call) {
		LockExpression key = attribute.key();
		if (key == null) {
			return List.of(LockNames.of(attribute.name()));
		}
		Object value = evaluate(attribute, "key", key, call);
		try {
			List<String> texts = KeyText.all(value);
			// Usually there is one, for which a stream would take longer than everything
			// else.
			return (texts.size() == 1) ? List.of(LockNames.of(attribute.name(), texts.get(0)))
					: texts.stream().map((text) -> LockNames.of(attribute.name(), text)).distinct().toList();
		}
		catch (KeyText.RefusedException ex) {
			throw failure(attribute, "key", key, ex.getMessage(), null);
		}
	}

	/**
	 * Returns how many owners may hold the locks of a call at a time.
	 * @throws LockKeyException if the value is not a whole number of at least 1
	 */
	int permits(LockAttribute attribute, List<String> names, Call call) {
		LockExpression permits = attribute.permits();
		if (permits == null) {
			return 1;
		}
		Object value = evaluate(attribute, "permits", permits, call);
		Integer number = PermitNumbers.of(value);
		if (number == null) {
			throw failure(attribute, "permits", permits,
					"is %s for the call that needs %s, and must be a whole number of at least 1".formatted(value,
							names),
					null);
		}
		return number;
	}

	private @Nullable Object evaluate(LockAttribute attribute, String part, LockExpression expression, Call call) {
		try {
			return KotlinValues.unbox(expression.expression().getValue(new CallContext(expression, call)));
		}
		catch (RuntimeException ex) {
			throw failure(attribute, part, expression,
					"cannot be evaluated (%s); check the arguments for null, and the names in it"
						.formatted(ex.getMessage()),
					ex);
		}
	}

	private static LockKeyException failure(LockAttribute attribute, String part, LockExpression expression,
			@Nullable String problem, @Nullable Throwable cause) {
		return new LockKeyException(attribute.name(), "The %s \"%s\" of @DistributedLock on method %s %s"
			.formatted(part, expression.text(), Describe.method(attribute.method()), problem), cause);
	}

	/**
	 * Root object of an expression.
	 *
	 * @param method the method that runs
	 * @param target the bean
	 * @param args the arguments
	 */
	record Call(Method method, @Nullable Object target, List<@Nullable Object> args) {
	}

	/**
	 * Evaluation context that has the parameters of one call as variables.
	 */
	private final class CallContext extends StandardEvaluationContext {

		private final LockExpression expression;

		private final Call call;

		CallContext(LockExpression expression, Call call) {
			super(call);
			this.expression = expression;
			this.call = call;
			LockExpressionEvaluator.this.resolvers.applyDelegatesTo(this);
			setBeanResolver(LockExpressionEvaluator.this.beans);
		}

		@Override
		public @Nullable Object lookupVariable(String name) {
			Integer position = this.expression.parameters().get(name);
			return (position != null) ? this.expression.argument(position, this.call.args())
					: super.lookupVariable(name);
		}

	}

}
