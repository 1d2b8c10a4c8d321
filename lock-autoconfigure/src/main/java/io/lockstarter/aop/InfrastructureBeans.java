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
 * The beans that proxies are made with, and of which none are made themselves.
 *
 * @param beanFactory has the beans
 */
record InfrastructureBeans(ConfigurableListableBeanFactory beanFactory) {

	private static final List<Class<?>> TYPES = List.of(Advice.class, Pointcut.class, Advisor.class,
			AopInfrastructureBean.class);

	/** By name, because AspectJ may not be on the class path. */
	private static final String ASPECT = "org.aspectj.lang.annotation.Aspect";

	private static final String CREATOR_OF_ASPECTS = "org.springframework.aop.aspectj.annotation.AnnotationAwareAspectJAutoProxyCreator";

	/**
	 * Refuse annotated methods.
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

	/** Without Boot's AOP, an aspect is a bean like any other. */
	private boolean knowsAspects() {
		String name = AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME;
		Class<?> creator = this.beanFactory.containsBean(name) ? this.beanFactory.getType(name) : null;
		return creator != null && creator.getName().equals(CREATOR_OF_ASPECTS);
	}

	/** Not a proxy, such as that of a scope, whose target has a proxy of its own. */
	private static boolean isOne(Class<?> type, boolean aspects) {
		return !SpringProxy.class.isAssignableFrom(type)
				&& (TYPES.stream().anyMatch((infrastructure) -> infrastructure.isAssignableFrom(type))
						|| (aspects && MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).isPresent(ASPECT)));
	}

	private static void refuse(AnnotatedMethod annotated) {
		throw new InvalidLockAnnotationException(annotated.method(), "",
				"Spring makes no proxies of aspects, advice and advisors, and it would run without the lock",
				"move it to another bean", null);
	}

}
