package io.lockstarter.aop;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.lockstarter.core.LockRegistry;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/**
 * Locks of one application for methods that AspectJ has woven. A JVM has one aspect, but
 * may have several applications. A bean is locked by the application that it belongs to,
 * and any other object by the only application that is running.
 */
public final class WovenLocks implements BeanPostProcessor, SmartInitializingSingleton, DisposableBean {

	private static final List<WovenLocks> RUNNING = new CopyOnWriteArrayList<>();

	private static final WeakIdentities<WovenLocks> OWNERS = new WeakIdentities<>();

	private final Predicate<Class<?>> isLocked;

	private final MethodInterceptor advice;

	private final Runnable prepareFence;

	private WovenLocks(Predicate<Class<?>> isLocked, MethodInterceptor advice, Runnable prepareFence) {
		this.isLocked = isLocked;
		this.advice = advice;
		this.prepareFence = prepareFence;
		RUNNING.add(this);
	}

	/**
	 * Creates the locks of an application's annotated methods.
	 * @param beanFactory the factory that resolves placeholders and the beans that keys
	 * name
	 * @param registry supplies the registry on the first call
	 * @param releaseAfterTransaction whether a lock is held until the caller's
	 * transaction has completed
	 * @param registries the names of all registries, empty if there is only one
	 * @return a bean
	 */
	public static WovenLocks on(ConfigurableBeanFactory beanFactory, Supplier<LockRegistry> registry,
			boolean releaseAfterTransaction, Set<String> registries) {
		LockAttributeSource attributes = new LockAttributeSource(
				LockEnvironment.of(beanFactory, releaseAfterTransaction, new WovenInterceptionCheck(), registries));
		return new WovenLocks(attributes::hasAttributes,
				new LockInterceptor(attributes, new LockExpressionEvaluator(beanFactory), registry),
				attributes::prepareFence);
	}

	/**
	 * Creates a bean that deliberately runs the annotated methods of an application
	 * without locks.
	 * @return a bean
	 */
	public static WovenLocks off() {
		return new WovenLocks((type) -> !AnnotatedMethod.all(type).isEmpty(), MethodInvocation::proceed, () -> {
		});
	}

	/**
	 * Records the application of a bean, and validates its annotations, before the bean
	 * is used.
	 */
	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		if (this.isLocked.test(AopUtils.getTargetClass(bean))) {
			OWNERS.put(bean, this);
		}
		return bean;
	}

	/** Rejects fenced methods without a fence that works. */
	@Override
	public void afterSingletonsInstantiated() {
		this.prepareFence.run();
	}

	/** Returns the advice for an execution of a woven method. */
	static MethodInterceptor adviceFor(MethodInvocation invocation) {
		Object target = invocation.getThis();
		WovenLocks owner = (target != null) ? OWNERS.get(target) : null;
		if (owner != null) {
			return owner.advice;
		}
		List<WovenLocks> running = List.copyOf(RUNNING);
		if (running.size() == 1) {
			return running.get(0).advice;
		}
		Class<?> type = (target != null) ? AopUtils.getTargetClass(target) : invocation.getMethod().getDeclaringClass();
		if (AnnotatedMethod.find(invocation.getMethod(), type).isEmpty()) {
			return MethodInvocation::proceed;
		}
		throw new IllegalStateException("%s cannot be locked, and was not run: %s".formatted(
				Describe.method(invocation.getMethod()),
				running.isEmpty() ? "no application context with distributed-lock.aspect.mode=aspectj is running"
						: String.format(Locale.ROOT,
								"%d application contexts are running, and its object is a bean of none of them",
								running.size())));
	}

	@Override
	public void destroy() {
		RUNNING.remove(this);
	}

}
