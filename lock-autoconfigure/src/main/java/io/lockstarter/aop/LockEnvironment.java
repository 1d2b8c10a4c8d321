package io.lockstarter.aop;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringValueResolver;

/**
 * What annotations are read in.
 *
 * @param placeholders resolves {@code ${…}}
 * @param transaction what becomes of a lock in a transaction of its caller
 * @param reach which methods' calls come to their locks
 */
record LockEnvironment(StringValueResolver placeholders, CallerTransaction transaction, LockReach reach) {

	private static final boolean TRANSACTIONS = ClassUtils.isPresent(
			"org.springframework.transaction.support.TransactionSynchronization",
			LockEnvironment.class.getClassLoader());

	/** The environment of beans that are called through their proxies. */
	static LockEnvironment proxied(ConfigurableBeanFactory beanFactory, boolean releaseAfterTransaction) {
		return of(beanFactory, releaseAfterTransaction, new ProxyReach(makesClassProxies(beanFactory)));
	}

	static LockEnvironment of(ConfigurableBeanFactory beanFactory, boolean releaseAfterTransaction, LockReach reach) {
		return new LockEnvironment(beanFactory::resolveEmbeddedValue,
				(TRANSACTIONS && releaseAfterTransaction) ? new CallerTransaction.Awaited() : CallerTransaction.IGNORED,
				reach);
	}

	private static boolean makesClassProxies(ConfigurableBeanFactory beanFactory) {
		String creator = AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME;
		return beanFactory instanceof ConfigurableListableBeanFactory beans && beans.containsBeanDefinition(creator)
				&& Boolean.TRUE.equals(beans.getBeanDefinition(creator).getPropertyValues().get("proxyTargetClass"));
	}

}
