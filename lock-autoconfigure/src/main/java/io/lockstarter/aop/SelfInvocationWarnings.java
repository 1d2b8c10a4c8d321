package io.lockstarter.aop;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.util.ClassUtils;

/**
 * Warnings, once per class, about beans that call their own locked methods. Such a call
 * bypasses the proxy and runs without the lock. Thread-safe.
 */
public final class SelfInvocationWarnings implements BeanPostProcessor {

	private static final Log logger = LogFactory.getLog(SelfInvocationWarnings.class);

	private final Set<Class<?>> seen = ConcurrentHashMap.newKeySet();

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof Advised proxy && takesLocks(proxy)) {
			Class<?> type = ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(bean));
			if (this.seen.add(type)) {
				warn(type);
			}
		}
		return bean;
	}

	private static boolean takesLocks(Advised proxy) {
		return List.of(proxy.getAdvisors()).stream().anyMatch(LockAdvisor.class::isInstance);
	}

	private static void warn(Class<?> type) {
		List<SelfCall> calls = SelfCalls.of(type).toLocked();
		if (!calls.isEmpty()) {
			logger.warn(
					"%s calls its own locked methods, which run without their locks, because such a call bypasses the bean's proxy: %s. Move the locked method to another bean; or inject the bean into itself (by ObjectProvider or @Lazy) and call that reference; or use LockRegistry there; or distributed-lock.aspect.mode=aspectj. To hide this warning, set distributed-lock.warn.self-invocation=false"
						.formatted(type.getName(),
								calls.stream().map(SelfCall::toString).distinct().collect(Collectors.joining(", "))));
		}
	}

}
