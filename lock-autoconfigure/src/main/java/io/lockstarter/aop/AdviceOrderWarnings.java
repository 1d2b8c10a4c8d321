package io.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.aspectj.AspectJPrecedenceInformation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.util.ClassUtils;

/**
 * Warnings, once per class, about locked methods whose retries and limits run inside the
 * lock. The order is read from the proxy, so it does not matter how the other advice was
 * configured. Thread-safe.
 */
public final class AdviceOrderWarnings implements BeanPostProcessor {

	private static final Log logger = LogFactory.getLog(AdviceOrderWarnings.class);

	private final Set<Class<?>> seen = ConcurrentHashMap.newKeySet();

	private final BeanFactory beanFactory;

	/**
	 * Creates the warnings.
	 * @param beanFactory the factory that knows the types of aspects
	 */
	public AdviceOrderWarnings(BeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof Advised proxy) {
			List<Advisor> advisors = List.of(proxy.getAdvisors());
			advisors.stream()
				.filter(LockAdvisor.class::isInstance)
				.map(LockAdvisor.class::cast)
				.findFirst()
				.ifPresent((lock) -> examine(ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(bean)), lock,
						advisors.subList(advisors.indexOf(lock) + 1, advisors.size())));
		}
		return bean;
	}

	private void examine(Class<?> type, LockAdvisor lock, List<Advisor> inside) {
		if (inside.isEmpty() || !this.seen.add(type)) {
			return;
		}
		List<Method> locked = AnnotatedMethod.all(type).stream().map(AnnotatedMethod::method).toList();
		for (Advisor advisor : inside) {
			Class<?> origin = origin(advisor);
			Arrays.stream(InnerAdvice.values())
				.filter((advice) -> advice.comesFrom(origin))
				.forEach((advice) -> warn(type, advice, lock.getOrder(),
						locked.stream()
							.filter((method) -> advice.isOn(method, type) && applies(advisor, method, type))
							.toList()));
		}
	}

	private @Nullable Class<?> origin(Advisor advisor) {
		return (advisor instanceof AspectJPrecedenceInformation aspect)
				? this.beanFactory.getType(aspect.getAspectName(), false) : ClassUtils.getUserClass(advisor);
	}

	private static boolean applies(Advisor advisor, Method method, Class<?> type) {
		return advisor instanceof PointcutAdvisor known && known.getPointcut().getMethodMatcher().matches(method, type);
	}

	private static void warn(Class<?> type, InnerAdvice advice, int lockOrder, List<Method> methods) {
		if (!methods.isEmpty()) {
			logger.warn(
					"Locked methods of %s (%s): @DistributedLock runs outside and %s inside, so that %s. To reverse the order: %s. To hide this warning, set distributed-lock.warn.advice-order=false"
						.formatted(type.getName(),
								methods.stream()
									.map(KotlinFunctions::nameOf)
									.distinct()
									.collect(Collectors.joining(", ")),
								advice.label(), advice.effect(), advice.remedy(lockOrder)));
		}
	}

}
