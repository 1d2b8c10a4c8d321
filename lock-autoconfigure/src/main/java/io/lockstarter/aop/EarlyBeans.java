package io.lockstarter.aop;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;

/**
 * The beans that were made before proxies could be, such as those that a bean
 * post-processor needs, or elsewhere. The products of factory beans are not looked at.
 *
 * @param beanFactory has the beans
 * @param attributes tell which of them are to be locked
 */
record EarlyBeans(ConfigurableListableBeanFactory beanFactory, LockAttributeSource attributes) {

	/** By name, because it is there in tests only, which put their own objects in. */
	private static final String OVERRIDES_OF_TEST = "org.springframework.test.context.bean.override.internalBeanOverridePostProcessor";

	/**
	 * Refuse annotated methods. No bean is made for that.
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
	 * Return what the proxies of a bean call, or {@code null} if one of them takes the
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
	 * Return whether it is what its definition makes, and not what a post-processor has
	 * put before it.
	 */
	private boolean isAsMade(Object bare, String name) {
		return !this.beanFactory.containsBeanDefinition(name)
				|| (this.beanFactory.getMergedBeanDefinition(name) instanceof RootBeanDefinition definition
						&& definition.getTargetType() == bare.getClass());
	}

	/**
	 * A class that mentions others that are missing cannot be looked into: Spring itself
	 * passes over such an object, and so does this.
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
				"the bean '%s' has no proxy, because it was made before proxies are, or registered as an object, and it would run without the lock"
					.formatted(name),
				"let the bean post-processor that needs it, or the @Configuration with its @Bean method, take it by ObjectProvider or @Lazy, and make the @Bean methods of post-processors static; register it by a definition; or use distributed-lock.aspect.mode=aspectj",
				null);
	}

}
