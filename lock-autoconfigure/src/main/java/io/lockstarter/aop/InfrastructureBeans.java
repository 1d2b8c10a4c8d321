package io.lockstarter.aop;

import java.util.List;

import org.aopalliance.aop.Advice;

import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * Beans that create proxies, and for which Spring therefore creates no proxies.
 *
 * @param beanFactory the factory that has the beans
 */
record InfrastructureBeans(ConfigurableListableBeanFactory beanFactory) {

	private static final List<Class<?>> TYPES = List.of(Advice.class, Pointcut.class, Advisor.class,
			AopInfrastructureBean.class);

	/** Name of the annotation of AspectJ, which may be missing from the class path. */
	private static final String ASPECT = "org.aspectj.lang.annotation.Aspect";

	private static final String CREATOR_OF_ASPECTS = "org.springframework.aop.aspectj.annotation.AnnotationAwareAspectJAutoProxyCreator";

	/**
	 * Rejects annotated methods.
	 * @throws InvalidLockAnnotationException if there is one
	 */
	void refuseAnnotated() {
		boolean aspects = knowsAspects();
		for (String name : this.beanFactory.getBeanNamesForType(Object.class, true, false)) {
			Class<?> type = this.beanFactory.getType(name, false);
			if (type != null && isOne(type, aspects)) {
				AnnotatedMethod.all(type).forEach(InfrastructureBeans::refuse);
			}
		}
	}

	/**
	 * Returns whether Spring treats aspects as infrastructure. Without AspectJ support,
	 * an aspect is an ordinary bean.
	 */
	private boolean knowsAspects() {
		String name = AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME;
		Class<?> creator = this.beanFactory.containsBean(name) ? this.beanFactory.getType(name) : null;
		return creator != null && creator.getName().equals(CREATOR_OF_ASPECTS);
	}

	/**
	 * Returns whether a type is infrastructure, unless it is a proxy, such as that of a
	 * scope, whose target has a proxy of its own.
	 */
	private static boolean isOne(Class<?> type, boolean aspects) {
		return !SpringProxy.class.isAssignableFrom(type)
				&& (TYPES.stream().anyMatch((infrastructure) -> infrastructure.isAssignableFrom(type))
						|| (aspects && MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).isPresent(ASPECT)));
	}

	private static void refuse(AnnotatedMethod annotated) {
		throw new InvalidLockAnnotationException(annotated.method(), "",
				"Spring creates no proxies of aspects, advice and advisors, and the method would run without the lock",
				"move it to another bean", null);
	}

}
