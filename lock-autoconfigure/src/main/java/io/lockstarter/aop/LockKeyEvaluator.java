package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;

import io.lockstarter.core.LockKeyException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * Makes the lock's name for one call. Thread-safe.
 */
final class LockKeyEvaluator {

	/**
	 * Shared by all evaluations because its resolvers cache what they look up.
	 */
	private final StandardEvaluationContext resolvers = new StandardEvaluationContext();

	private final BeanFactoryResolver beans;

	LockKeyEvaluator(BeanFactory beanFactory) {
		this.beans = new BeanFactoryResolver(beanFactory);
	}

	/**
	 * Make the name of the lock under which a call runs.
	 * @throws LockKeyException if its arguments make no key
	 */
	String lockName(LockAttribute attribute, @Nullable Object target, @Nullable Object[] arguments) {
		LockKey key = attribute.key();
		if (key == null) {
			return LockNames.of(attribute.name());
		}
		Object value = evaluate(attribute, key, target, arguments);
		try {
			return LockNames.of(attribute.name(), KeyText.of(value));
		}
		catch (KeyText.RefusedException ex) {
			throw failure(attribute, key, ex.getMessage(), null);
		}
	}

	private @Nullable Object evaluate(LockAttribute attribute, LockKey key, @Nullable Object target,
			@Nullable Object[] arguments) {
		try {
			Call call = new Call(attribute.method(), target, Arrays.asList(arguments));
			return key.expression().getValue(new CallContext(key, call));
		}
		catch (RuntimeException ex) {
			throw failure(attribute, key, "cannot be evaluated (%s); check the arguments for null, and the names in it"
				.formatted(ex.getMessage()), ex);
		}
	}

	private static LockKeyException failure(LockAttribute attribute, LockKey key, @Nullable String problem,
			@Nullable Throwable cause) {
		return new LockKeyException(attribute.name(), "The key \"%s\" of @DistributedLock on method %s %s"
			.formatted(key.text(), Describe.method(attribute.method()), problem), cause);
	}

	/**
	 * The root object of an expression.
	 *
	 * @param method the method that runs
	 * @param target the bean
	 * @param args the arguments
	 */
	record Call(Method method, @Nullable Object target, List<@Nullable Object> args) {
	}

	/**
	 * Knows the parameters of one call as variables.
	 */
	private final class CallContext extends StandardEvaluationContext {

		private final LockKey key;

		private final Call call;

		CallContext(LockKey key, Call call) {
			super(call);
			this.key = key;
			this.call = call;
			LockKeyEvaluator.this.resolvers.applyDelegatesTo(this);
			setBeanResolver(LockKeyEvaluator.this.beans);
		}

		@Override
		public @Nullable Object lookupVariable(String name) {
			Integer position = this.key.parameters().get(name);
			return (position != null) ? this.call.args().get(position) : super.lookupVariable(name);
		}

	}

}
