package io.lockstarter.aop;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;

/**
 * Beans without a proxy, because they were created before proxies could be, such as for a
 * bean post-processor, or outside the container. The products of factory beans are not
 * checked.
 *
 * @param beanFactory the factory that has the beans
 * @param attributes the source of lock attributes
 */
record UnproxiedBeans(ConfigurableListableBeanFactory beanFactory, LockAttributeSource attributes) {

	/**
	 * Name of a bean that exists only in tests that replace beans by their own objects.
	 */
	private static final String OVERRIDES_OF_TEST = "org.springframework.test.context.bean.override.internalBeanOverridePostProcessor";

	/**
	 * Rejects annotated methods, without creating a bean.
	 * @throws InvalidLockAnnotationException if there is one
	 */
	void refuseAnnotated() {
		if (this.beanFactory.containsSingleton(OVERRIDES_OF_TEST)) {
			return;
		}
		for (String name : this.beanFactory.getSingletonNames()) {
			Object bean = this.beanFactory.getSingleton(name);
			Object bare = (bean != null) ? withoutLocks(bean) : null;
			if (bare != null && isAsMade(bare, name) && isAnnotated(bare.getClass())) {
				refuse(bare.getClass(), name);
			}
		}
	}

	/**
	 * Returns the target of a bean's proxies, or {@code null} if one of them acquires the
	 * locks, or may call another object each time.
	 */
	private static @Nullable Object withoutLocks(Object bean) {
		Object target = bean;
		while (target instanceof Advised proxy) {
			boolean locks = Arrays.stream(proxy.getAdvisors()).anyMatch(LockAdvisor.class::isInstance);
			target = locks ? null : AopProxyUtils.getSingletonTarget(proxy);
		}
		return target;
	}

	/**
	 * Returns whether an object is what its definition creates, and not the replacement
	 * of a post-processor.
	 */
	private boolean isAsMade(Object bare, String name) {
		return !this.beanFactory.containsBeanDefinition(name)
				|| (this.beanFactory.getMergedBeanDefinition(name) instanceof RootBeanDefinition definition
						&& definition.getTargetType() == bare.getClass());
	}

	/**
	 * Returns whether a class has annotated methods. A class that refers to missing
	 * classes cannot be inspected: like Spring itself, this method ignores it.
	 */
	private boolean isAnnotated(Class<?> type) {
		try {
			return this.attributes.hasAttributes(type);
		}
		catch (IllegalStateException ex) {
			if (ex.getCause() instanceof NoClassDefFoundError) {
				return false;
			}
			throw ex;
		}
	}

	private static void refuse(Class<?> type, String name) {
		AnnotatedMethod annotated = AnnotatedMethod.all(type).get(0);
		throw new InvalidLockAnnotationException(annotated.method(), "",
				"the bean '%s' has no proxy, because it was created before proxies are available, or registered as an object, and the method would run without the lock"
					.formatted(name),
				"let the bean post-processor that needs it, or the @Configuration with its @Bean method, take it by ObjectProvider or @Lazy, and make the @Bean methods of post-processors static; register it by a definition; or use distributed-lock.aspect.mode=aspectj",
				null);
	}

}
