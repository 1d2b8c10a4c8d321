package io.lockstarter.aop;

import java.util.Arrays;
import java.util.Set;
import java.util.function.Supplier;

import io.lockstarter.core.LockFence;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringValueResolver;

/**
 * Environment in which annotations are read.
 *
 * @param placeholders resolves {@code ${…}}
 * @param transaction the treatment of the caller's transaction
 * @param interception the check whether calls of a method are intercepted
 * @param registries the names of the registries, empty if there is only one
 * @param fence supplies the fence of transactions when it is needed, or {@code null}
 * without JDBC
 */
record LockEnvironment(StringValueResolver placeholders, CallerTransaction transaction, InterceptionCheck interception,
		Set<String> registries, Supplier<@Nullable LockFence> fence) {

	private static final boolean TRANSACTIONS = ClassUtils.isPresent(
			"org.springframework.transaction.support.TransactionSynchronization",
			LockEnvironment.class.getClassLoader());

	/** Returns the environment of beans that are called through proxies. */
	static LockEnvironment proxied(ConfigurableBeanFactory beanFactory, boolean releaseAfterTransaction,
			Set<String> registries) {
		return of(beanFactory, releaseAfterTransaction,
				new ProxyInterceptionCheck((type) -> makesClassProxies(beanFactory, type)), registries);
	}

	static LockEnvironment of(ConfigurableBeanFactory beanFactory, boolean releaseAfterTransaction,
			InterceptionCheck interception, Set<String> registries) {
		return new LockEnvironment(beanFactory::resolveEmbeddedValue,
				(TRANSACTIONS && releaseAfterTransaction) ? new CallerTransaction.Awaited() : CallerTransaction.IGNORED,
				interception, registries, beanFactory.getBeanProvider(LockFence.class)::getIfAvailable);
	}

	private static boolean makesClassProxies(ConfigurableBeanFactory beanFactory, Class<?> type) {
		String creator = AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME;
		return beanFactory.containsBean(creator) && beanFactory.getBean(creator, ProxyConfig.class).isProxyTargetClass()
				&& !(beanFactory instanceof ConfigurableListableBeanFactory beans && isBehindInterfaces(beans, type));
	}

	/**
	 * Returns whether there is such a bean that is {@code @Proxyable} by its interfaces.
	 * May be called after the bean has been replaced by its proxy, which hides the class
	 * of the bean.
	 */
	private static boolean isBehindInterfaces(ConfigurableListableBeanFactory beans, Class<?> type) {
		return Arrays.stream(beans.getBeanDefinitionNames())
			.map(beans::getMergedBeanDefinition)
			.anyMatch((bean) -> bean.hasAttribute(AutoProxyUtils.EXPOSED_INTERFACES_ATTRIBUTE)
					&& bean instanceof RootBeanDefinition definition && definition.getTargetType() == type);
	}

}
