package io.lockstarter.aop;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnTimeout;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.util.ClassUtils;

/**
 * Warnings, once per method, about scheduled jobs that skip while another instance holds
 * the lock but specify no minimum hold time: an instance whose schedule fires later runs
 * the job again. Thread-safe.
 */
public final class ScheduledSkipWarnings implements BeanPostProcessor {

	private static final Log logger = LogFactory.getLog(ScheduledSkipWarnings.class);

	private final Set<Class<?>> seen = ConcurrentHashMap.newKeySet();

	private final Predicate<Object> isLocked;

	private ScheduledSkipWarnings(Predicate<Object> isLocked) {
		this.isLocked = isLocked;
	}

	/**
	 * Creates the warnings for beans whose proxies take the locks.
	 * @return a bean
	 */
	public static ScheduledSkipWarnings ofProxies() {
		return new ScheduledSkipWarnings((bean) -> bean instanceof Advised proxy
				&& List.of(proxy.getAdvisors()).stream().anyMatch(LockAdvisor.class::isInstance));
	}

	/**
	 * Creates the warnings for beans into which AspectJ weaves the locks.
	 * @return a bean
	 */
	public static ScheduledSkipWarnings ofWovenBeans() {
		return new ScheduledSkipWarnings((bean) -> true);
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (this.isLocked.test(bean)) {
			Class<?> type = ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(bean));
			if (this.seen.add(type)) {
				AnnotatedMethod.all(type)
					.stream()
					.filter(ScheduledSkipWarnings::mayRunAgain)
					.forEach(ScheduledSkipWarnings::warn);
			}
		}
		return bean;
	}

	/**
	 * Returns whether a job may run again unintentionally. An explicit {@code holdAtLeast
	 * = "0"} allows that.
	 */
	private static boolean mayRunAgain(AnnotatedMethod job) {
		MergedAnnotation<DistributedLock> lock = job.annotation();
		return lock.getEnum("onTimeout", OnTimeout.class) == OnTimeout.SKIP && lock.getString("holdAtLeast").isEmpty()
				&& MergedAnnotations.from(job.method(), SearchStrategy.TYPE_HIERARCHY).isPresent(Scheduled.class);
	}

	private static void warn(AnnotatedMethod job) {
		logger.warn(
				"%s is @Scheduled and skips while another instance holds its lock, but has no holdAtLeast: if it finishes before another instance's schedule fires, that instance runs it again. Set holdAtLeast to more than the clocks of the instances may differ, for example \"30s\", or to \"0\" if running again is intended. To hide this warning, set distributed-lock.warn.scheduled-skip=false"
					.formatted(Describe.method(job.method())));
	}

}
