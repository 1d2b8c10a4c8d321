package io.lockstarter.aop;

import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.lockstarter.core.LockRegistry;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.autoproxy.InfrastructureAdvisorAutoProxyCreator;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.objenesis.ObjenesisStd;

/**
 * A context with the advisor over a {@link FakeLockRegistry}.
 */
class LockedBeans implements AutoCloseable {

	final FakeLockRegistry registry = new FakeLockRegistry();

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	LockedBeans() {
		this(true, Map.of());
	}

	LockedBeans(boolean classProxies, Map<String, Object> properties) {
		this(classProxies, properties, null, Set.of());
	}

	/**
	 * Serve the beans from a registry that is not fake.
	 */
	LockedBeans(LockRegistry registry) {
		this(registry, Set.of());
	}

	/**
	 * Serve the beans from several registries.
	 * @param registry the default one
	 * @param names the names of all
	 */
	LockedBeans(LockRegistry registry, Set<String> names) {
		this(true, Map.of(), registry, names);
	}

	private LockedBeans(boolean classProxies, Map<String, Object> properties, LockRegistry real, Set<String> names) {
		this.context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", properties));
		this.context.registerBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME,
				InfrastructureAdvisorAutoProxyCreator.class,
				(definition) -> definition.getPropertyValues().add("proxyTargetClass", classProxies));
		this.context.registerBean(LockAdvisor.class,
				() -> new LockAdvisor(this.context.getBeanFactory(), () -> (real != null) ? real : this.registry,
						LockAdvisor.DEFAULT_ORDER, true, names),
				(definition) -> definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE));
		this.context.refresh();
	}

	/**
	 * Create a bean and return it as other beans see it.
	 */
	<T> T bean(Class<T> type, Class<? extends T> implementation) {
		this.context.registerBean(implementation);
		return this.context.getBean(type);
	}

	<T> T bean(Class<T> type) {
		return bean(type, type);
	}

	<T> T bean(String name, Class<T> type, Supplier<T> supplier) {
		this.context.registerBean(name, type, supplier);
		return this.context.getBean(name, type);
	}

	/**
	 * Create a bean from the outside, as the context would do with any class.
	 */
	void create(Class<?> type) {
		Object instance = new ObjenesisStd().newInstance(type);
		this.context.getAutowireCapableBeanFactory().initializeBean(instance, type.getName());
	}

	@Override
	public void close() {
		this.context.close();
	}

}
