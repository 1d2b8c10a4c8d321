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
 * Puts the methods annotated with {@code @DistributedLock} under their locks.
 */
public final class LockAdvisor implements PointcutAdvisor, Ordered, SmartInitializingSingleton {

	/**
	 * The order that is outside of {@code @Transactional} and {@code @Cacheable}, which
	 * have the lowest precedence, so that the lock is released after the commit.
	 */
	public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

	private final ConfigurableBeanFactory beanFactory;

	private final int order;

	private final LockAttributeSource attributes;

	private final Pointcut pointcut;

	private final Advice advice;

	/**
	 * Create an advisor, to be a bean of the infrastructure role.
	 * @param beanFactory resolves placeholders and the beans that keys name
	 * @param registry the registry, not asked for before the first call
	 * @param order the order among other advisors; lower is further outside
	 * @param releaseAfterTransaction whether a lock is kept until the transaction of its
	 * caller is completed
	 */
	public LockAdvisor(ConfigurableBeanFactory beanFactory, Supplier<LockRegistry> registry, int order,
			boolean releaseAfterTransaction) {
		this(beanFactory, registry, order, releaseAfterTransaction, Set.of());
	}

	/**
	 * Create an advisor for several registries, to be a bean of the infrastructure role.
	 * @param beanFactory resolves placeholders and the beans that keys name
	 * @param registry the default registry, not asked for before the first call, which
	 * hands requests for others on to them
	 * @param order the order among other advisors; lower is further outside
	 * @param releaseAfterTransaction whether a lock is kept until the transaction of its
	 * caller is completed
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
	 * Return how many methods of the beans that have been made so far are locked.
	 * @return the number of methods
	 */
	public int lockedMethods() {
		return this.attributes.methods();
	}

	/**
	 * Refuse annotated methods of beans, or calls of them, that this advisor is never
	 * asked about, and those that are fenced without a fence that can work.
	 * @throws InvalidLockAnnotationException if there is one
	 */
	@Override
	public void afterSingletonsInstantiated() {
		if (this.beanFactory instanceof ConfigurableListableBeanFactory beans) {
			new InfrastructureBeans(beans).refuseAnnotated();
			ContainerCallbacks.refuseNamed(beans);
			new EarlyBeans(beans, this.attributes).refuseAnnotated();
		}
		this.attributes.prepareFence();
	}

	/**
	 * Matches the methods that have an attribute.
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
