package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.function.Supplier;

import io.lockstarter.core.LockRegistry;
import org.aopalliance.aop.Advice;

import org.springframework.aop.Pointcut;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;

/**
 * Advisor that runs methods annotated with {@code @DistributedLock} under their locks.
 */
public final class LockAdvisor implements PointcutAdvisor, Ordered, SmartInitializingSingleton {

	/**
	 * Default order: outside {@code @Transactional} and {@code @Cacheable}, which have
	 * the lowest precedence, so that the lock is released after the commit.
	 */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

	private final ConfigurableBeanFactory beanFactory;

	private final int order;

	private final LockAttributeSource attributes;

	private final Pointcut pointcut;

	private final Advice advice;

	/**
	 * Creates an advisor, which must be a bean with the infrastructure role.
	 * @param beanFactory the factory that resolves placeholders and the beans that keys
	 * name
	 * @param registry supplies the registry on the first call
	 * @param order the order among other advisors; a lower order is further outside
	 * @param releaseAfterTransaction whether a lock is held until the caller's
	 * transaction has completed
	 */
	public LockAdvisor(ConfigurableBeanFactory beanFactory, Supplier<LockRegistry> registry, int order,
			boolean releaseAfterTransaction) {
		this(beanFactory, registry, order, releaseAfterTransaction, Set.of());
	}

	/**
	 * Creates an advisor for several registries, which must be a bean with the
	 * infrastructure role.
	 * @param beanFactory the factory that resolves placeholders and the beans that keys
	 * name
	 * @param registry supplies, on the first call, the default registry, which delegates
	 * requests to the other registries
	 * @param order the order among other advisors; a lower order is further outside
	 * @param releaseAfterTransaction whether a lock is held until the caller's
	 * transaction has completed
	 * @param registries the names of all registries
	 */
	public LockAdvisor(ConfigurableBeanFactory beanFactory, Supplier<LockRegistry> registry, int order,
			boolean releaseAfterTransaction, Set<String> registries) {
		this.beanFactory = beanFactory;
		this.order = order;
		this.attributes = new LockAttributeSource(
				LockEnvironment.proxied(beanFactory, releaseAfterTransaction, registries));
		this.pointcut = new AnnotatedMethods(this.attributes);
		this.advice = new LockInterceptor(this.attributes, new LockExpressionEvaluator(beanFactory), registry);
	}

	@Override
	public int getOrder() {
		return this.order;
	}

	@Override
	public Pointcut getPointcut() {
		return this.pointcut;
	}

	@Override
	public Advice getAdvice() {
		return this.advice;
	}

	/**
	 * Returns the number of locked methods in the beans that have been created so far.
	 * @return the number of methods
	 */
	public int lockedMethods() {
		return this.attributes.methods();
	}

	/**
	 * Rejects annotated methods that this advisor cannot intercept, and fenced methods
	 * without a fence that works.
	 * @throws InvalidLockAnnotationException if there is one
	 */
	@Override
	public void afterSingletonsInstantiated() {
		if (this.beanFactory instanceof ConfigurableListableBeanFactory beans) {
			new InfrastructureBeans(beans).refuseAnnotated();
			ContainerCallbacks.refuseNamed(beans);
			new UnproxiedBeans(beans, this.attributes).refuseAnnotated();
		}
		this.attributes.prepareFence();
	}

	/**
	 * Pointcut of the methods that have an attribute.
	 */
	private static final class AnnotatedMethods extends StaticMethodMatcherPointcut {

		private final LockAttributeSource attributes;

		AnnotatedMethods(LockAttributeSource attributes) {
			this.attributes = attributes;
			setClassFilter(attributes::hasAttributes);
		}

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return this.attributes.find(method, targetClass) != null;
		}

	}

}
