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
 * @param classProxies whether proxies are subclasses, even where interfaces would do
 */
record LockEnvironment(StringValueResolver placeholders, CallerTransaction transaction, boolean classProxies) {

	private static final boolean TRANSACTIONS = ClassUtils.isPresent(
			"org.springframework.transaction.support.TransactionSynchronization",
			LockEnvironment.class.getClassLoader());

	static LockEnvironment of(ConfigurableBeanFactory beanFactory, boolean releaseAfterTransaction) {
		return new LockEnvironment(beanFactory::resolveEmbeddedValue,
				(TRANSACTIONS && releaseAfterTransaction) ? new CallerTransaction.Awaited() : CallerTransaction.IGNORED,
				makesClassProxies(beanFactory));
	}

	private static boolean makesClassProxies(ConfigurableBeanFactory beanFactory) {
		String creator = AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME;
		return beanFactory instanceof ConfigurableListableBeanFactory beans && beans.containsBeanDefinition(creator)
				&& Boolean.TRUE.equals(beans.getBeanDefinition(creator).getPropertyValues().get("proxyTargetClass"));
	}

}
